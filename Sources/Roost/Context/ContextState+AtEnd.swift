internal import Foundation
internal import RoostFile
internal import RoostGraph

/// Last saves: at the end of a context, its container or the program, when no caller can catch an
/// error.
extension ContextState {
  /// Saves before the container is closed.
  func saveBeforeClosing() throws {
    guard needsSave else { return }
    try CallInterrupt.ignoring {
      guard let context else { return try Doorway.pass { try GraphContext.save(open) } }
      try context.tracedSave(nil) { try context.saveNow() }
    }
  }

  /// Saves at the end of the context. An error is printed on standard error.
  func saveAtEnd() {
    do {
      if let failure { throw failure }
      try CallInterrupt.ignoring { try Doorway.pass { try GraphContext.save(open) } }
    } catch { sayLost(error) }
  }

  /// Saves at the end of the program, if no other thread uses the context or the store until a
  /// deadline.
  ///
  /// The main context belongs to the main thread. From another thread the save is sent to the main
  /// thread; it fails if the main thread waits for the caller.
  func saveAtExit(_ graphs: [GraphContext], until deadline: UInt64) {
    var hasChanges = isMain && failure != nil
    for graph in graphs {
      guard let changes = graph.hasUnsaved(until: deadline) else {
        return sayLost(RoostError(.twoThreads, "the program ended during a call of the context"))
      }
      hasChanges = hasChanges || changes
    }
    if !hasChanges { return }
    if !isMain || MainQueue.isCurrent { return saveNow(graphs, until: deadline) }
    let isDone = DispatchSemaphore(value: 0)
    // Unsafe, because this thread waits meanwhile, and later only the main actor uses it.
    nonisolated(unsafe) let state = self
    // Unsafe for the same reason.
    nonisolated(unsafe) let own = graphs
    Task { @MainActor in
      state.saveNow(own, until: deadline)
      isDone.signal()
    }
    let left = deadline - min(deadline, Clock.monotonicNanoseconds())
    if isDone.wait(timeout: .now() + .nanoseconds(Int(clamping: left))) == .timedOut {
      sayLost(RoostError(.twoThreads, "the program ended while the main thread was waiting"))
    }
  }

  private func saveNow(_ graphs: [GraphContext], until deadline: UInt64) {
    do {
      if isMain, let failure { throw failure }
      let left = deadline - min(deadline, Clock.monotonicNanoseconds())
      try Doorway.pass {
        do {
          try GraphContext.save(graphs, isRelaxed: durability == .relaxed, timeoutMilliseconds: left / 1_000_000)
        } catch let refusal as SaveRefusal { throw stores.error(refusal) }
      }
    } catch { sayLost(error) }
  }

  private func sayLost(_ error: any Error) {
    Warning.autosave.say("the last changes of a context could not be saved: \(error)", about: "\(error)")
  }
}
