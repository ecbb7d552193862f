import RoostFile
import RoostKV
import RoostPages
import RoostRecords
import RoostTrees

/// What `info` tells of a store.
struct StoreFacts: Encodable {
  struct TreeFacts: Encodable {
    var name: String
    /// `bytes` or `numbers`.
    var keys: String
    var entries: Int
    /// Entries whose value lies outside the tree's own pages.
    var largeValues: Int
    /// Levels of pages, 0 for an empty tree.
    var depth: Int
    /// Estimated from some of them, as the fill is.
    var leaves: Int
    /// The part of the leaves' room that is in use, 0 to 1.
    var fill: Double
  }

  var path: String
  var formatVersion: UInt32
  var pageSize: UInt32
  var storeID: String
  var fileBytes: UInt64
  var logBytes: UInt64
  var pages: Int
  /// As the last checkpoint left it.
  var freePages: Int
  var commit: UInt64
  var wasClosed: Bool
  var superblocks: [SuperblockSlot]
  var trees: [TreeFacts]
  /// Of a store of rows, what it holds as of its last checkpoint.
  var rows: RecordFacts?
  /// What is wrong with the superblocks and with the map of free places; `verify` looks at everything.
  var damage: [String]

  var isSound: Bool { damage.isEmpty }

  init(_ path: String) throws {
    let slots = try SuperblockSlot.both(of: path)
    var settings = StoreSettings()
    settings.readOnly = true
    settings.createIfMissing = false
    let newest = slots.filter { $0.health == .good }.max { ($0.sequence ?? 0) < ($1.sequence ?? 0) }
    superblocks = slots
    formatVersion = newest?.version ?? 0
    pageSize = newest?.pageSize ?? 0
    storeID = newest?.storeID ?? ""
    wasClosed = newest?.namesLog == false
    if RecordFacts.isThere(path) {
      let found = try RecordStore.verify(path)
      rows = RecordFacts(found)
      self.path = try DiskFileSystem.shared.canonicalPath(path)
      (pages, freePages) = (found.pages.pages, found.pages.freePages)
      damage = found.findings.map { "\($0)" }
      commit = newest?.commit ?? 0
      trees = []
    } else {
      let store = try KeyValueStore(path, settings: settings)
      self.path = store.path
      (pages, freePages, damage) = try Self.examine(store)
      let figures = try store.statistics()
      commit = figures.commit
      trees = figures.trees.map { tree in
        TreeFacts(
          name: tree.name, keys: tree.isTable ? "numbers" : "bytes", entries: tree.entries,
          largeValues: tree.largeValues, depth: tree.depth, leaves: tree.leaves, fill: tree.fill)
      }
      try store.close()
    }
    fileBytes = try Self.size(of: self.path)
    logBytes = try Self.size(of: self.path + "-log")
  }

  /// A store that is open for reading does not load its map of free places, so an examination is asked. It holds a
  /// snapshot as long as it lives.
  private static func examine(_ store: KeyValueStore) throws -> (pages: Int, free: Int, damage: [String]) {
    let examination = try store.store.examine()
    let damage = examination.complaints.map { ($0.page.map { "page \($0): " } ?? "") + $0.detail }
    return (Int(examination.pageCount), examination.free.count, damage)
  }

  /// 0 where there is no such file.
  private static func size(of path: String) throws -> UInt64 {
    guard try DiskFileSystem.shared.exists(path) else { return 0 }
    let file = try DiskFileSystem.shared.open(path, .read)
    defer { file.close() }
    return try file.size()
  }

  func write(to console: Console) {
    for sentence in damage { console.line(console.styled("damage", .bad) + "  \(sentence)") }
    let log =
      wasClosed
      ? "none; the store was closed"
      : "\(Wording.bytes(logBytes)); the store is open in a process, or was not closed and will be recovered"
    let size = "\(Wording.bytes(fileBytes)), \(Wording.count(pages, "page")), \(Wording.count(freePages)) of them free"
    console.facts(
      [
        ("store", path),
        ("format", "version \(formatVersion), pages of \(Wording.count(pageSize, "byte"))"),
        ("identity", storeID),
        ("size", size),
        ("log", log),
        ("last commit", Wording.count(commit)),
      ] + superblocks.map { ("superblock \($0.slot)", $0.sentence) })
    for tree in trees {
      var text = "\(Wording.count(tree.entries, "entry", "entries")), keys are \(tree.keys), depth \(tree.depth)"
      if tree.leaves > 0 {
        text += ", about \(Wording.count(tree.leaves, "leaf", "leaves")), \(Int((tree.fill * 100).rounded())) % full"
      }
      if tree.largeValues > 0 { text += ", \(Wording.count(tree.largeValues, "large value"))" }
      console.line("  " + console.styled(tree.name, .strong) + ": " + text)
    }
    rows?.write(to: console)
  }
}
