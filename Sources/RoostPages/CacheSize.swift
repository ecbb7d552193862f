import RoostFile

/// How much memory the page cache takes where nobody says. Docs/Decisions/cache-size.md tells why.
enum CacheSize {
  /// One part in so many of what the process may use.
  static let share: UInt64 = 8
  static let least: UInt64 = 16 << 20
  static let most: UInt64 = 1 << 30

  /// The size on a machine, or in a control group, of so much memory; nil stands for one that does not tell.
  static func bytes(_ memory: UInt64?) -> Int {
    guard let memory else { return 64 << 20 }
    return Int(min(max(memory / share, least), most))
  }

  /// The size here and now.
  static func usual() -> Int { bytes(MemoryBound.now()) }

  /// How many bytes of drafts go with a cache of so many: a checkpoint is a good bargain at 64 MiB, and no draft can be given back
  /// before it is written. With fewer than the least every transaction of some thousand rows would write its pages early.
  static func drafts(beside cache: Int) -> Int { min(64 << 20, max(cache, leastDrafts)) }
  private static let leastDrafts = 4 << 20
}
