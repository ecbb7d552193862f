internal import Foundation

/// Runs an actor's jobs one after the other, wherever the actor was made, on threads that all such executors share. An actor that
/// is given a container's main context runs on the main actor, since that context belongs there. An actor whose container has a
/// store of the program's own may wait for a network: while it works it has a thread of its own.
///
/// Unchecked because the context is used by the jobs alone, and these run one after the other.
public class DefaultSerialModelExecutor: @unchecked Sendable, SerialModelExecutor {
  /// The context that the jobs use. It belongs to them: use it from no other place.
  public final let modelContext: ModelContext
  /// A queue has no thread of its own.
  private let queue: DispatchQueue
  private let isMain: Bool

  /// Makes an executor for an actor whose jobs use a context, such as `ModelContext(container)`.
  public init(modelContext: ModelContext) {
    self.modelContext = modelContext
    isMain = modelContext.state.isMain
    // Without a target a queue that works gets a thread, however many others wait.
    let mayWait = modelContext.container.stores.hasWorkingSets
    queue = isMain ? .main : DispatchQueue(label: "Roost.ModelActor", target: mayWait ? nil : .global())
  }

  /// Runs a job after the earlier ones. The Swift runtime calls it; programs do not.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    // The actor, which the job belongs to, keeps the executor until the job is done.
    queue.async { job.runSynchronously(on: executor) }
  }

  /// The executor as an actor's `unownedExecutor` returns it: the main actor's for a main context.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    isMain ? MainActor.sharedUnownedExecutor : UnownedSerialExecutor(ordinary: self)
  }

  /// Ends the program if the caller runs outside of the jobs of this executor. `assumeIsolated` of an actor calls it.
  public func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
