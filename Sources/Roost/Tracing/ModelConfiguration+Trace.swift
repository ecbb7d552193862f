extension ModelConfiguration {
  /// Told of each ``TraceEvent/Kind`` of work that took ``traceThreshold`` or longer, and of every failure. It is called on the thread
  /// that did it, when that is over, and never under a lock. What it does with the store itself is not told.
  public var trace: (@Sendable (TraceEvent) -> Void)? {
    get { traceHandler?.handle }
    set { traceHandler = newValue.map(TraceHandler.init) }
  }
}

extension ModelContainer {
  /// Writes what was committed from the log to its places in the files now, where that would be done later by itself. For tests, and
  /// before a quiet time.
  public func checkpoint() throws {
    try stores.checkOpen()
    for store in stores.stores { try Doorway.pass { try store.checkpoint() } }
  }
}
