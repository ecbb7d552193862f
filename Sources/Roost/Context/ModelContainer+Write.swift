internal import RoostFile
internal import RoostGraph

/// Serial writes for code that reads first: counters, and insertions that depend on stored models.
extension ModelContainer {
  /// Runs a closure with a new context on the newest state, and saves its changes.
  ///
  /// ```swift
  /// try container.write { context in
  ///   let counter = try context.fetch(FetchDescriptor<Counter>())[0]
  ///   counter.count += 1
  /// }
  /// ```
  ///
  /// In this process one write at a time runs on a store, so the values that the closure reads stay
  /// the newest until its save. Other contexts may save meanwhile. If their commits cause a
  /// conflict, such as a property that both changed, the closure runs again with another context, a
  /// hundred times at most. Then the call throws the conflict. So the closure should have no other
  /// effects. If it throws, nothing is saved.
  ///
  /// The context ends with the closure. Return values or identifiers instead of models: a model
  /// that you keep shows only what it has loaded, and changes to it are lost. A save or bulk write
  /// in the closure is stored immediately, even if the closure throws later; such a closure does
  /// not run again.
  ///
  /// The call blocks its thread while it waits. In an `async` function the compiler chooses the
  /// async form, which does not.
  ///
  /// - Returns: what the closure returned.
  /// - Throws: what the closure and the save throw. ``RoostError`` with the code `store` if the
  ///   call is made in the closure of another write (``RoostError/storeError`` is `nestedWrite`),
  ///   or if another write takes longer than ``ModelConfiguration/writeTimeout`` (`timedOut`; the
  ///   error names the line of the other write).
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

  /// Runs a closure with a new context on the newest state, and saves its changes, as the
  /// synchronous form does.
  ///
  /// A task that waits for its turn blocks no thread. The closure runs outside of the caller's
  /// actor.
  ///
  /// If a store of the container may wait for a network, the closure runs on a thread of its own,
  /// so it blocks no thread of tasks. If you cancel the task, a wait for a PostgreSQL server ends
  /// too: the save is not committed, or the call returns.
  ///
  /// - Throws: what the synchronous form throws, and `CancellationError` if the task is cancelled
  ///   while it waits. Then the closure does not run.
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

  /// How often the closure of a write runs at most.
  static var mostWriteRuns: Int { 100 }

  private func runWrite<Result: Sendable>(
    _ place: ContextState.CodePlace, _ body: (ModelContext) throws -> Result
  ) throws -> Result {
    // The program did not make the contexts of this call, so an error must name the container.
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
          // Other programs do not wait for turns here. A random pause lets one of them finish.
          if context.state.metOthers { Thread.sleep(microseconds: .random(in: 0...(1000 << UInt32(min(runs, 6))))) }
        }
      }
    }
  }

  /// Whether commits of other contexts may have caused an error.
  private static func mayRunAgain(_ error: RoostError, _ state: ContextState) -> Bool {
    error.code != .store && error.code != .closed && state.commitCount == 0 && state.isOutdated
  }
}

extension StoreSet {
  /// The turns that a serial write needs, and the longest wait for each. They always have the same
  /// order, so that two writes cannot wait for each other.
  fileprivate var writeTurns: [(turn: WriteTurns, timeoutNanoseconds: UInt64)] {
    zip(stores, writeTimeouts).sorted { ObjectIdentifier($0.0) < ObjectIdentifier($1.0) }.map { ($0.writeTurns, $1) }
  }
}

/// The threads that are running the closure of a write.
private enum WritingThreads {
  private static let lock = Lock()
  // Unsafe, because the lock guards it.
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
