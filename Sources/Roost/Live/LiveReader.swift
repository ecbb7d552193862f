internal import RoostFile
internal import RoostGraph

/// One iteration of a sequence of changes.
///
/// Commits call ``follow()``, and the task that iterates calls ``next()``. All changes since the last call are one element.
///
/// Unchecked because `door` guards the fields. Subclasses guard theirs.
class LiveReader<Element>: CommitFollowing, @unchecked Sendable {
  let container: ModelContainer
  private let door = Lock()
  private var waiter: CheckedContinuation<Void, Never>?
  /// Whether there are changes. At first everything is new.
  private var hasNews = true
  private var isEnded = false
  /// Whether it has returned an element.
  private var isBegun = false

  init(_ container: ModelContainer) { self.container = container }

  deinit { container.stores.followers.remove(self) }

  func follow() { wake() }

  /// Returns the changes since the last call; nil if there are none.
  func take() throws -> Element? { preconditionFailure("each kind of reader overrides this") }

  /// Notes that there are changes.
  final func wake() {
    let waiter = door.withLock {
      hasNews = true
      return exchange(&self.waiter, with: nil)
    }
    waiter?.resume()
  }

  final func end() {
    let waiter = door.withLock {
      isEnded = true
      return exchange(&self.waiter, with: nil)
    }
    waiter?.resume()
  }

  private enum Turn { case take, wait, end }

  final func next() async throws -> Element? {
    while true {
      let turn = door.withLock { () -> Turn in
        if isEnded || Task.isCancelled { return .end }
        defer { hasNews = false }
        return hasNews ? .take : .wait
      }
      switch turn {
      case .end: return nil
      case .wait: await wait()
      case .take:
        do {
          guard let element = try Doorway.pass({ try take() }) else { continue }
          door.withLock { isBegun = true }
          return element
        } catch {
          end()
          // A closed container ends the sequence, even in the middle of a read.
          if door.withLock({ isBegun }), container.stores.contexts.isClosed { return nil }
          throw error
        }
      }
    }
  }

  private func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = door.withLock {
          if hasNews || isEnded || Task.isCancelled { return true }
          waiter = continuation
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      door.withLock { exchange(&waiter, with: nil) }?.resume()
    }
  }
}
