internal import RoostFile

/// Makes the device of a store fail in a test, to see how a program reacts.
///
/// Set it in the configuration of a store that has a file, in a folder of the test. The calls fail
/// as the operating system would refuse them; the engine is the real one.
///
/// Unchecked because the lock guards `rule` and `refused`.
public final class StoreFaults: Hashable, @unchecked Sendable {
  /// The kinds of calls that can fail.
  public enum Kind: Hashable, Sendable, CaseIterable {
    /// The device has no room: files do not grow. A save throws, as if the log had no room for it,
    /// and all changes stay unsaved.
    case diskFull
    /// Writing fails.
    case writing
    /// Writing succeeds, but the device does not confirm that it has the data. Whether a save is
    /// stored is known only after the store is opened again.
    case syncing
    /// Reading fails.
    case reading
  }

  private let lock = Lock()
  private var rule: (kind: Kind, spared: Int)?
  private var refused = 0

  /// Makes faults. No call fails until ``fail(_:after:)`` is called.
  public init() {}

  /// Makes calls of one kind fail from now on, until ``heal()``. It replaces an earlier call.
  ///
  /// - Parameters:
  ///   - kind: the calls that fail.
  ///   - count: how many calls succeed first. Try one number after the other to fail at each place.
  public func fail(_ kind: Kind, after count: Int = 0) { lock.withLock { rule = (kind, max(count, 0)) } }

  /// Ends all failures. A store that could not sync or write must be opened again; its errors say
  /// so.
  public func heal() { lock.withLock { rule = nil } }

  /// How many calls have failed. Check it, so that a test knows that it tested something.
  public var refusals: Int { lock.withLock { refused } }

  /// Throws if such a call must fail.
  func ask(_ kind: Kind) throws(Fault) {
    let isRefused = lock.withLock { () -> Bool in
      guard let (ruled, spared) = rule, ruled == kind else { return false }
      if spared > 0 {
        rule = (kind, spared - 1)
        return false
      }
      refused += 1
      return true
    }
    if isRefused { throw Fault(kind == .diskFull ? ErrorNumbers.noSpace : ErrorNumbers.inputOutput) }
  }

  public static func == (one: StoreFaults, other: StoreFaults) -> Bool { one === other }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
