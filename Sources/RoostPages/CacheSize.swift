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
}
