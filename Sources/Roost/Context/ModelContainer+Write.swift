internal import RoostFile
internal import RoostGraph

/// Writes that read first: counters, and insertions that depend on what is there.
extension ModelContainer {
  /// Runs a closure with a new context on the newest state, and saves what it changed.
  ///
  /// ```swift
  /// try container.write { context in
  ///   let counter = try context.fetch(FetchDescriptor<Counter>())[0]
  ///   counter.count += 1
  /// }
  /// ```
  ///
  /// One write at a time runs on a store in this process, so what the closure reads is true until its save. Other contexts may
  /// save meanwhile. Where the save is then refused because of what they stored, as by a property that both changed, the closure
  /// runs again with another context, a hundred times at most; then the conflict is thrown. So the closure should have no other
  /// effects. If it throws, nothing is saved.
  ///
  /// The context ends with the closure. Return values or identifiers instead of models: a model that is kept shows what it has
  /// loaded, and what is set in it is lost. What the closure saves itself, or writes in bulk, is stored at once, also if it throws
  /// later; such a closure does not run again.
  ///
  /// The call waits on its thread. In a function that is `async` the other form is called, which does not. A write within a
  /// write throws; its ``RoostError/storeError`` has the code `nestedWrite`.
  ///
  /// Where another write keeps its turn for longer than ``ModelConfiguration/writeTimeout``, the call throws, and its
  /// ``RoostError/storeError`` has the code `timedOut`. The error names the line of the other write.
  ///
  /// - Returns: what the closure returned.
  @discardableResult
  public func write<Result: Sendable>(
    fileID: StaticString = #fileID, line: UInt = #line, _ body: (_ context: ModelContext) throws -> Result
  ) throws -> Result {
    try WritingThreads.refuseThisOne()
    var taken: [WriteTurns] = []
    defer { for turn in taken { turn.give() } }
    for (turn, timeout) in stores.writeTurns {
      try Doorway.pass { try turn.take(WritePlace(fileID, line), timeoutNanoseconds: timeout) }
      taken.append(turn)
    }
    return try runWrite((fileID, line), body)
  }

  /// Runs a closure with a new context on the newest state, and saves what it changed, as the form that is not `async` does.
  ///
  /// A task that waits for its turn blocks no thread. The closure runs off the caller's actor. If the task is cancelled while it
  /// waits, the call throws `CancellationError`, and the closure does not run.
  ///
  /// If a store of the container may wait for a network, the closure runs on a thread of its own, so it blocks no thread of tasks.
  /// Cancelling the task then also ends its wait for a PostgreSQL server: the save is not committed, or the call returns.
  @concurrent
  @discardableResult
  public func write<Result: Sendable>(
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (_ context: ModelContext) throws -> Result
  ) async throws -> Result {
    var taken: [WriteTurns] = []
    defer { for turn in taken { turn.give() } }
    do {
      for (turn, timeout) in stores.writeTurns {
        try await turn.takeAsTask(WritePlace(fileID, line), timeoutNanoseconds: timeout)
        taken.append(turn)
      }
    } catch { throw Doorway.translated(error) }
    if stores.hasWorkingSets { return try await OffThread.run { [self] _ in try runWrite((fileID, line), body) } }
    return try runWrite((fileID, line), body)
  }

  /// So often the closure of a write runs.
  static var mostWriteRuns: Int { 100 }

  private func runWrite<Result: Sendable>(
    _ place: ContextState.CodePlace, _ body: (ModelContext) throws -> Result
  ) throws -> Result {
    // Its contexts would say that they have ended, which the program did not make.
    try stores.checkOpen()
    return try WritingThreads.during {
      var runs = 0
      while true {
        runs += 1
        let context = ModelContext(self)
        context.state.beginWrite()
        defer { context.state.end() }
        do {
          let result = try body(context)
          try context.save(fileID: place.fileID, line: place.line)
          return result
        } catch let error as RoostError where runs < Self.mostWriteRuns && Self.mayRunAgain(error, context.state) {
          // Other programs have no turns here. One of them is done while this one waits.
          if context.state.metOthers { Thread.sleep(microseconds: .random(in: 0...(1000 << UInt32(min(runs, 6))))) }
        }
      }
    }
  }

  /// Whether commits of other contexts since the closure read may have caused an error.
  private static func mayRunAgain(_ error: RoostError, _ state: ContextState) -> Bool {
    error.code != .store && error.code != .closed && state.commitCount == 0 && state.isOutdated
  }
}

extension StoreSet {
  /// The turns that a serial write needs, and how long it waits for each. They are always in the same order, so that two writes do not
  /// wait for each other.
  fileprivate var writeTurns: [(turn: WriteTurns, timeoutNanoseconds: UInt64)] {
    zip(stores, writeTimeouts).sorted { ObjectIdentifier($0.0) < ObjectIdentifier($1.0) }.map { ($0.writeTurns, $1) }
  }
}

/// The threads that run the closure of a write at the moment.
private enum WritingThreads {
  private static let lock = Lock()
  // Unsafe, because it is read and written under the lock.
  private nonisolated(unsafe) static var threads: Set<UInt64> = []

  static func refuseThisOne() throws {
    guard lock.withLock({ threads.contains(Thread.currentID) }) else { return }
    throw RoostError(
      .store, "a write was called within a write: use the context of the closure",
      underlyingError: StoreError(.nestedWrite, "this thread is running the closure of a write"))
  }

  static func during<Result>(_ body: () throws -> Result) throws -> Result {
    let thread = Thread.currentID
    lock.withLock { _ = threads.insert(thread) }
    defer { lock.withLock { _ = threads.remove(thread) } }
    return try body()
  }
}
