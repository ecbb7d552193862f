package import RoostPages

/// How a store is opened.
public struct StoreSettings: Sendable {
  /// Make the file if there is none.
  public var createIfMissing = true
  /// Open without writing anything, also beside a process that writes.
  public var readOnly = false
  /// Bytes of memory for pages; nil for an eighth of the machine's memory, or of what the process may use of it where a
  /// control group says so; 16 MiB at the least and 1 GiB at the most.
  public var cacheBytes: Int?
  /// Bytes of changed pages that start a checkpoint. At twice as many a writer waits for it. Nil for as many as the cache has, 4 MiB at the
  /// least and 64 MiB at the most.
  public var draftBytes: Int?
  /// Bytes of log that start a checkpoint.
  public var logBytes = 64 << 20

  /// Makes settings that create a missing file and allow writing.
  public init() {}

  package var options: StoreOptions {
    var options = StoreOptions()
    options.createIfMissing = createIfMissing
    options.readOnly = readOnly
    options.cacheBytes = cacheBytes
    options.draftBytes = draftBytes.map { max($0, 1 << 20) }
    options.logBytes = max(logBytes, 4 << 20)
    return options
  }
}

/// How long a commit waits.
public enum Durability: Sendable {
  /// Until the commit is on the device. Commits made at the same time share one sync.
  case full
  /// Not at all. A crash of the machine may lose the newest commits; never parts of one, never out of order.
  case relaxed
}
