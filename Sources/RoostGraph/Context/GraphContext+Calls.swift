internal import RoostFile
internal import RoostPages
internal import RoostRecords

/// What every call of a user's begins with.
extension GraphContext {
  /// Runs a call that may throw: nobody else may be at the context, and what was found out before is thrown now.
  @inlinable
  package func call<Result>(_ activity: Call, _ body: () throws -> Result) throws -> Result {
    let isOuter = try enter(activity)
    defer { if isOuter { leave() } }
    return try body()
  }

  /// Takes the turn; false where this thread has it already.
  package func enter(_ activity: Call) throws -> Bool {
    guard try session.lock.takeOrThrow(activity.activity) else { return false }
    do { try begin(activity) } catch {
      session.end()
      throw error
    }
    return true
  }

  package func leave() { session.end() }

  /// Runs a call that cannot throw. Where it finds something out, the next one that can says so.
  ///
  /// - Parameter otherwise: the result where another thread does not let go of the context.
  package func quietly<Result>(_ activity: Call, otherwise: @autoclosure () -> Result, _ body: () -> Result) -> Result {
    let taking = session.lock.take(activity.activity)
    if taking == .denied { return otherwise() }
    defer { if taking == .taken { session.end() } }
    if taking == .taken, !session.isClosed, activity != .closing { attempt { try catchUp() } }
    return body()
  }

  package enum Call: Sendable {
    case reading, fetching, saving, inserting, deleting, closing

    fileprivate var activity: ContextLock.Activity {
      switch self {
      case .reading: .reading
      case .fetching: .fetching
      case .saving: .saving
      case .inserting: .inserting
      case .deleting: .deleting
      case .closing: .closing
      }
    }
  }

  private func begin(_ activity: Call) throws {
    try session.checkOpen()
    try session.lock.check()
    let isCoarse = activity == .fetching || activity == .saving
    try checkSingles(ends: isCoarse)
    if isCoarse, !batches.isEmpty { pruneBatches() }
    if activity == .fetching { findObserver() }
    // Inserting looks at nothing, and fetching and saving go on by themselves.
    if activity == .deleting || activity == .reading { try catchUp() }
  }

  /// Takes over what others committed, unless that is to wait.
  package func catchUp() throws { if session.isOutdated { try goOn() } }

  /// Goes on to the newest snapshot, unless changes of others are to wait, and have not waited for long.
  func goOn() throws {
    // The one that is shown mostly is the newest, and to take another one of the same commit would cost as much as a small fetch.
    if session.isNewest { return }
    if session.mergesChanges || session.isBehind { try advance() }
  }

  /// Runs what cannot say that it failed; the next save says it.
  func attempt(_ body: () throws -> Void) {
    do { try body() } catch { if failure == nil { failure = error } }
  }

  // MARK: Strictness

  /// Notes that something was read for one object alone.
  func noteSingle(_ origin: RowOrigin, _ property: Int?) {
    if !isStrict { return }
    let key = LinkKey(map: origin.map.number, row: 0, property: property ?? -1)
    singles[key, default: 0] += 1
  }

  /// Throws if a loop read its objects one by one. A fetch or a save ends such a loop, so counting begins anew.
  private func checkSingles(ends: Bool) throws {
    guard isStrict, let (key, count) = singles.first(where: { $0.value > Self.mostSingles }) else {
      if ends, !singles.isEmpty { singles = [:] }
      return
    }
    singles = [:]
    let type = store.maps[key.map].type
    let isLink = key.property >= 0 && store.relations[key.map][key.property] != nil
    throw GraphFault(
      .readOneByOne,
      isLink
        ? "\(count) objects were asked for it one by one: fetch them together, and name it in relationshipKeyPathsForPrefetching"
        : "\(count) objects were read one by one: fetch them together, as by a predicate with contains, or name the relationship that leads to them in relationshipKeyPathsForPrefetching",
      entity: type.name, property: key.property >= 0 ? type.propertyName(key.property) : nil)
  }

  /// So many objects may be read by themselves.
  package static let mostSingles = 10
}
