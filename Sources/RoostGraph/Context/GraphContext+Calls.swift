internal import RoostFile
internal import RoostPages
internal import RoostRecords

/// The beginning and end of every call of a program.
extension GraphContext {
  /// Runs a call that may throw: it throws if another thread has the lock, or if an earlier call
  /// found an error that it could not throw.
  @inlinable
  package func call<Result>(_ activity: Call, _ body: () throws -> Result) throws -> Result {
    let isOuter = try enter(activity)
    defer { if isOuter { leave() } }
    return try body()
  }

  /// Takes the lock; returns false if this thread has it already.
  package func enter(_ activity: Call) throws -> Bool {
    guard try session.lock.takeOrThrow(activity.activity) else { return false }
    do { try begin(activity) } catch {
      session.end()
      throw error
    }
    return true
  }

  package func leave() { session.end() }

  /// Runs a call that cannot throw. The next call that can throws its error.
  ///
  /// - Parameters:
  ///   - activity: the kind of call.
  ///   - otherwise: the result if another thread does not give the lock back.
  ///   - body: the call.
  package func quietly<Result>(_ activity: Call, otherwise: @autoclosure () -> Result, _ body: () -> Result) -> Result {
    let taking = session.lock.take(activity.activity)
    if taking == .denied { return otherwise() }
    defer { if taking == .taken { session.end() } }
    if taking == .taken, !session.isClosed, activity != .closing { catchUpQuietly() }
    return body()
  }

  /// Shows the newest snapshot, unless the context does not merge. The next save throws a read
  /// error.
  @inline(__always)
  func catchUpQuietly() { if session.isOutdated { objects.attempt { try follower.catchUp() } } }

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
    try objects.checkSingles(ends: isCoarse)
    if isCoarse { objects.pruneBatches() }
    if activity == .fetching { objects.findObserver() }
    // Inserting reads nothing, and fetching and saving take a newer snapshot themselves.
    if activity == .deleting || activity == .reading, session.isOutdated { try follower.catchUp() }
  }
}
