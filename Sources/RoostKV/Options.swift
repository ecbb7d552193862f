package import RoostPages

/// The settings of an opening.
public struct StoreSettings: Sendable {
  /// Whether a missing file is created.
  public var createIfMissing = true
  /// Whether the store is opened without writing anything, even while another process writes it.
  public var readOnly = false
  /// The size of the page cache in bytes. nil means an eighth of the machine's memory, or of the
  /// limit of the process's control group, at least 16 MiB and at most 1 GiB.
  public var cacheBytes: Int?
  /// The bytes of changed pages that start a checkpoint, at least 1 MiB. At twice as many a writer
  /// waits for it. nil means the size of the cache, at least 4 MiB and at most 64 MiB.
  public var draftBytes: Int?
  /// The bytes of log that start a checkpoint, at least 4 MiB.
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

/// What a commit waits for.
public enum Durability: Sendable {
  /// The commit waits until it is synced. Commits made at the same time share one sync.
  case full
  /// The commit does not wait. A crash of the machine may lose the newest commits, in order, never
  /// a part of one.
  case relaxed
}
