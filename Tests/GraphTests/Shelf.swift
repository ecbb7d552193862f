import RoostFile

/// Objects that one thread adds and another one releases.
///
/// Unchecked because the lock guards all of it.
final class Shelf: @unchecked Sendable {
  private let lock = Lock()
  private let changed = ConditionVariable()
  private var objects: [AnyObject] = []
  private var isFinished = false

  func put(_ object: AnyObject) {
    lock.withLock { objects.append(object) }
    changed.broadcast()
  }

  func finish() {
    lock.withLock { isFinished = true }
    changed.broadcast()
  }

  /// Releases one object, perhaps its last reference; returns false when no more will be added.
  func takeOne() -> Bool {
    lock.acquire()
    while objects.isEmpty, !isFinished { changed.wait(lock) }
    let object = objects.popLast()
    lock.release()
    return object != nil
  }
}
