internal import Foundation
internal import RoostFile
internal import Synchronization

/// The main queue, which runs the main actor's work. On Linux any thread may run it.
enum MainQueue {
  private static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Whether the caller runs on the main actor.
  static var isCurrent: Bool { Foundation.Thread.isMainThread || DispatchQueue.getSpecific(key: key) == true }

  /// Runs a body on the main actor, from another thread, and waits for its end.
  ///
  /// Returns false if the main queue has not begun the body before the deadline; the body then
  /// never runs. The main thread may be waiting for the caller, or run no queue at all.
  static func run(until deadline: UInt64, _ body: @escaping () -> Void) -> Bool {
    let claim = Claim()
    let isDone = DispatchSemaphore(value: 0)
    // Unsafe, because this thread waits while the main actor uses it.
    nonisolated(unsafe) let body = body
    Task { @MainActor in
      guard claim.take() else { return }
      body()
      isDone.signal()
    }
    let left = deadline - min(deadline, Clock.monotonicNanoseconds())
    if isDone.wait(timeout: .now() + .nanoseconds(Int(clamping: left))) == .success { return true }
    if claim.take() { return false }
    isDone.wait()
    return true
  }

  /// Decides between two threads: the first that takes it decides whether the body runs.
  private final class Claim: Sendable {
    private let isTaken = Atomic<Bool>(false)
    func take() -> Bool { !isTaken.exchange(true, ordering: .acquiringAndReleasing) }
  }
}
