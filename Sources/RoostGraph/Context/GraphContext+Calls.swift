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
    guard try turn.takeOrThrow(activity.turn) else { return false }
    do { try begin(activity) } catch {
      end()
      throw error
    }
    return true
  }

  package func leave() { end() }

  /// Runs a call that cannot throw. Where it finds something out, the next one that can says so.
  ///
  /// - Parameter otherwise: the result where another thread does not let go of the context.
  package func quietly<Result>(_ activity: Call, otherwise: @autoclosure () -> Result, _ body: () -> Result) -> Result {
    let taking = turn.take(activity.turn)
    if taking == .denied { return otherwise() }
    defer { if taking == .taken { end() } }
    if taking == .taken, !isClosed, activity != .closing { attempt { try catchUp() } }
    return body()
  }

  /// Observers are told, and objects end, after the turn is given back: both run users' code, which may do anything, also wait for another
  /// thread that needs the turn.
  private func end() {
    if told.isEmpty, reports.isEmpty, departing.isEmpty { return turn.give() }
    let (all, reported) = (exchange(&told, with: []), exchange(&reports, with: []))
    withExtendedLifetime(exchange(&departing, with: [])) {
      turn.give()
      tell(all)
      for report in reported {
        switch report {
        case .merge(let merge): hearMerge?(merge)
        case .defaultGiven(let fault): hearDefault?(fault, self)
        }
      }
    }
  }

  /// Keeps what a collection of the context held until the call ends. The program may hold none of it any more, and a user's `deinit` may
  /// read and change everything: it must not run while a collection is being changed, or while the collections do not fit each other.
  func releaseLater(_ objects: some Collection) { if !objects.isEmpty { departing.append(objects) } }

  func releaseLater(_ list: LoadedList?) { if let list { departing.append(list) } }

  package enum Call: Sendable {
    case reading, fetching, saving, inserting, deleting, closing

    fileprivate var turn: Turn.Activity {
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
    try checkOpen()
    try turn.check()
    let isCoarse = activity == .fetching || activity == .saving
    try checkSingles(ends: isCoarse)
    if isCoarse, !batches.isEmpty { pruneBatches() }
    if activity == .fetching { findObserver() }
    // Inserting looks at nothing, and fetching and saving go on by themselves.
    if activity == .deleting || activity == .reading { try catchUp() }
  }

  /// Goes on to the newest snapshot, where there is a newer one and nobody forbids it.
  package func catchUp() throws {
    guard let shown = reader?.commit, shown != store.records.store.published.snapshot.transaction else { return }
    try goOn()
  }

  /// Goes on to the newest snapshot, unless changes of others are to wait, and have not waited for long.
  func goOn() throws {
    // The one that is shown mostly is the newest, and to take another one of the same commit would cost as much as a small fetch.
    if let reader, reader.commit == store.records.store.published.snapshot.transaction { return }
    if mergesChanges || isBehind { try advance() }
  }

  /// Whether the context holds on to a snapshot for longer than the store's file should wait for it.
  private var isBehind: Bool {
    guard let shown = reader?.commit else { return true }
    let newest = store.records.store.published.snapshot.transaction
    if newest == shown { return false }
    return newest > shown + mostCommitsBehind || Clock.monotonicNanoseconds() > shownSince + mostNanosecondsBehind
  }

  /// Whether others committed something that this context does not show.
  package var isOutdated: Bool {
    guard let shown = reader?.commit else { return false }
    return shown != store.records.store.published.snapshot.transaction
  }

  /// Runs what cannot say that it failed; the next save says it.
  func attempt(_ body: () throws -> Void) {
    do { try body() } catch { if failure == nil { failure = error } }
  }

  // MARK: Accessors

  /// Comes before and behind what an accessor cannot do alone.
  ///
  /// - Parameters:
  ///   - tells: whether those who wait for changes may be told at the end. Between the two halves of a setter they are not.
  ///   - otherwise: what is done where another thread does not let go of the context. It touches the object alone.
  @inline(__always)
  func accessor<Result>(
    _ activity: Turn.Activity, _ object: any _ModelObject, _ property: Int, tells: Bool = true,
    otherwise: @autoclosure () -> Result, _ body: () -> Result
  ) -> Result {
    let taking = turn.take(activity, place(object, property))
    if taking == .denied { return otherwise() }
    defer { if taking == .taken { leave(tells) } }
    return body()
  }

  private func place(_ object: any _ModelObject, _ property: Int) -> String {
    type(of: object)._$type.name + "." + type(of: object)._$type.propertyName(property)
  }

  private func leave(_ tells: Bool) {
    // Nobody would close the snapshot that a context looked at after its end.
    if isClosed { letSnapshotGo() }
    if tells { end() } else { turn.give() }
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
        ? "a loop read it from \(count) objects one by one: fetch them together, and name it in relationshipKeyPathsForPrefetching"
        : "a loop read \(count) objects one by one: fetch them together, as by a predicate with contains, or name their relationship in relationshipKeyPathsForPrefetching",
      entity: type.name, property: key.property >= 0 ? type.propertyName(key.property) : nil)
  }

  /// So many objects may be read by themselves.
  package static let mostSingles = 10
}
