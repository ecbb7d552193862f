internal import Foundation

/// Runs the jobs of an actor one after the other.
///
/// The jobs run on threads that all such executors share, whichever thread made the actor. If the
/// executor has the main context of a container, the jobs run on the main actor, because that
/// context belongs there. If the container has a store of your program's own, which may wait for a
/// network, the executor has a thread of its own while it works.
///
/// Unchecked because only the jobs use the context, and they run one after the other.
public class DefaultSerialModelExecutor: @unchecked Sendable, SerialModelExecutor {
  /// The context that the jobs use. Do not use it elsewhere.
  public final let modelContext: ModelContext
  /// A queue has no thread of its own.
  private let queue: DispatchQueue
  private let isMain: Bool

  /// Makes an executor for an actor whose jobs use a context, such as `ModelContext(container)`.
  public init(modelContext: ModelContext) {
    self.modelContext = modelContext
    isMain = modelContext.state.isMain
    // Without a target queue, a queue with work gets a thread, even if many other queues wait.
    let mayWait = modelContext.container.stores.hasWorkingSets
    queue = isMain ? .main : DispatchQueue(label: "Roost.ModelActor", target: mayWait ? nil : .global())
  }

  /// Runs a job after the earlier ones. The Swift runtime calls it; programs do not.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    // The executor belongs to the actor, so the job keeps it alive.
    queue.async { job.runSynchronously(on: executor) }
  }

  /// Returns the executor for an actor's `unownedExecutor`. For a main context this is the executor
  /// of the main actor.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    isMain ? MainActor.sharedUnownedExecutor : UnownedSerialExecutor(ordinary: self)
  }

  /// Ends the program if the caller does not run in a job of this executor. `assumeIsolated` of an
  /// actor calls it.
  public func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
