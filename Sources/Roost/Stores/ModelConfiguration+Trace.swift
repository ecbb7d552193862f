extension ModelConfiguration {
  /// Told of each ``TraceEvent/Kind`` of work that took ``traceThreshold`` or longer, and of every failure. It is called on the thread
  /// that did it, when that is over, and never under a lock. What it does with the store itself is not told.
  public var trace: (@Sendable (TraceEvent) -> Void)? {
    get { traceHandler?.handle }
    set { traceHandler = newValue.map(TraceHandler.init) }
  }
}
