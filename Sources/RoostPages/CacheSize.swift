import RoostFile

/// The default size of the page cache. Docs/Decisions/cache-size.md gives the reasons.
enum CacheSize {
  /// The cache takes one part in this many of the memory that the process may use.
  static let share: UInt64 = 8
  static let least: UInt64 = 16 << 20
  static let most: UInt64 = 1 << 30

  /// The size for a machine or control group with this much memory; nil if the amount is unknown.
  static func bytes(_ memory: UInt64?) -> Int {
    guard let memory else { return 64 << 20 }
    return Int(min(max(memory / share, least), most))
  }

  /// The size for this process now.
  static func usual() -> Int { bytes(MemoryBound.now()) }

  /// The limit for drafts that goes with a cache of this size. A checkpoint is efficient at 64 MiB,
  /// and no draft can be evicted before it is written. With fewer bytes than `leastDrafts`, every
  /// transaction of some thousand rows would write its pages early.
  static func drafts(beside cache: Int) -> Int { min(64 << 20, max(cache, leastDrafts)) }
  private static let leastDrafts = 4 << 20
}
