internal import RoostFile
internal import Synchronization

/// An object that is notified of each commit to a container's stores.
protocol CommitFollowing: AnyObject, Sendable {
  /// Called after a commit, before the call that committed returns. The committing thread calls it
  /// when it uses no context.
  func follow()
  /// Called when the container is closed.
  func end()
}

/// The objects that are notified of each commit to one container's stores.
///
/// Unchecked because the lock guards the list. The count is atomic: a commit reads it without the lock, and does nothing more if it is 0.
final class CommitFollowers: @unchecked Sendable {
  private struct Weak {
    weak var follower: (any CommitFollowing)?
  }

  private let lock = Lock()
  private var followers: [ObjectIdentifier: Weak] = [:]
  private let count = Atomic<Int>(0)

  func add(_ follower: any CommitFollowing) { change { $0[ObjectIdentifier(follower)] = Weak(follower: follower) } }

  /// The follower's deinitializer calls it too.
  func remove(_ follower: any CommitFollowing) { change { $0[ObjectIdentifier(follower)] = nil } }

  private func change(_ body: (inout [ObjectIdentifier: Weak]) -> Void) {
    lock.withLock {
      body(&followers)
      count.store(followers.count, ordering: .relaxed)
    }
  }

  var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

  private var all: [any CommitFollowing] {
    if count.load(ordering: .relaxed) == 0 { return [] }
    return lock.withLock { followers.values.compactMap(\.follower) }
  }

  func follow() { for follower in all { follower.follow() } }

  func end() { for follower in all { follower.end() } }
}
