import RoostFile

/// Objects that one thread puts down and another one drops.
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

  /// Drops one object, perhaps the last reference to it; false when nothing more comes.
  func takeOne() -> Bool {
    lock.acquire()
    while objects.isEmpty, !isFinished { changed.wait(lock) }
    let object = objects.popLast()
    lock.release()
    return object != nil
  }
}
