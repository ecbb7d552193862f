internal import RoostFile

/// Lets the device under a store fail when a test says so, to see what a program does then.
///
/// Give it to a configuration whose store has a file, in a folder of the test's own. What fails is what the operating system would refuse; the
/// engine above it is the one that everybody uses.
///
/// Unchecked because of `rule` and `refused`, which are read and written under the lock.
public final class StoreFaults: Hashable, @unchecked Sendable {
  /// The kinds of calls that can fail.
  public enum Kind: Hashable, Sendable, CaseIterable {
    /// The device has no room: files do not grow, and a save throws as where the log has no room for it. Everything waits.
    case diskFull
    /// Writing fails.
    case writing
    /// Writing succeeds, but the device does not say that it has the data. Whether a save is stored is known when the store is opened again.
    case syncing
    /// Reading fails.
    case reading
  }

  private let lock = Lock()
  private var rule: (kind: Kind, spared: Int)?
  private var refused = 0

  /// Makes faults that let nothing fail until ``fail(_:after:)`` is called.
  public init() {}

  /// Lets calls of one kind fail from now on, until ``heal()``. It takes the place of what was said before.
  ///
  /// - Parameters:
  ///   - kind: what fails.
  ///   - count: how many calls succeed before that. Try one number after the other to fail at each place.
  public func fail(_ kind: Kind, after count: Int = 0) { lock.withLock { rule = (kind, max(count, 0)) } }

  /// Nothing fails any more. A store that could not sync, or write, must be opened again; its errors say so.
  public func heal() { lock.withLock { rule = nil } }

  /// How many calls have failed, so that a test knows that it tested something.
  public var refusals: Int { lock.withLock { refused } }

  /// Throws if such a call is to fail.
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
