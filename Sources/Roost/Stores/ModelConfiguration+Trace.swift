extension ModelConfiguration {
  /// Called with each ``TraceEvent/Kind`` of work that took ``traceThreshold`` or longer, and with
  /// each failure. The working thread calls it after the work, never under a lock. Its own work
  /// with the store is not reported.
  public var trace: (@Sendable (TraceEvent) -> Void)? {
    get { traceHandler?.handle }
    set { traceHandler = newValue.map(TraceHandler.init) }
  }
}
