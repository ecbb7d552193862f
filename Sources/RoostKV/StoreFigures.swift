/// Numbers about a store at one moment.
public struct StoreFigures: Sendable {
  /// Numbers about one tree or table.
  public struct TreeFigures: Sendable {
    /// The name of the tree or table.
    public var name: String
    /// Whether its keys are numbers.
    public var isTable: Bool
    /// The number of keys.
    public var entries: Int
    /// Entries whose value is stored outside their leaf.
    public var largeValues: Int
    /// The number of levels, including leaves; 0 for an empty tree.
    public var depth: Int
    /// The number of leaves, estimated from the sampled ones.
    public var leaves: Int
    /// The used fraction of the leaves' room, 0 to 1, estimated.
    public var fill: Double
  }

  /// The newest commit's number.
  public var commit: UInt64 = 0
  /// Bytes in a page of the file.
  public var pageBytes = 4096
  /// Pages in the file, including superblocks.
  public var pages = 0
  /// Pages in the file that are free, and that the next writes use.
  public var freePages = 0
  /// Pages that left their trees but must stay for a reader, a checkpoint or the log.
  public var waitingPages = 0
  /// Changed pages that are not in the file yet.
  public var draftPages = 0
  /// Pages that are in memory now.
  public var cachedPages = 0
  /// Pages that may be in memory before some are evicted.
  public var cachePages = 0
  /// Pages read from the file since the store was opened: look-ups that the cache could not serve.
  public var pagesRead = 0
  /// Damaged pages that were repaired in memory since the store was opened: one bit had flipped, or
  /// the page has a copy. The file is unchanged: `roost verify --repair` repairs it.
  public var repairedPages = 0
  /// Open transactions and cursors.
  public var readers = 0
  /// The number of commits since the oldest snapshot that is being read; 0 if no reader has an
  /// older one.
  public var oldestSnapshotAge = 0
  /// Bytes in the files of the log.
  public var logBytes = 0
  /// Files of the log.
  public var logSegments = 0
  /// Commits since the store was opened.
  public var commits = 0
  /// Checkpoints since the store was opened.
  public var checkpoints = 0
  /// The numbers of each tree and table.
  public var trees: [TreeFigures] = []

  /// Bytes of the file, without its log.
  public var fileBytes: Int { pages * pageBytes }
  /// Bytes of the file that are free, and that the next writes use.
  public var freeBytes: Int { freePages * pageBytes }
  /// Bytes that would be free without readers of older snapshots and after a checkpoint.
  public var pinnedBytes: Int { waitingPages * pageBytes }
  /// Keys of all trees and tables.
  public var entries: Int { trees.reduce(0) { $0 + $1.entries } }

  /// The used fraction of all leaves' room, 0 to 1, estimated.
  public var fill: Double {
    let leaves = trees.reduce(0) { $0 + $1.leaves }
    return leaves == 0 ? 0 : trees.reduce(0) { $0 + $1.fill * Double($1.leaves) } / Double(leaves)
  }
}
