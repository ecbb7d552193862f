import Foundation
import RoostFile
import RoostKV
import RoostPages
import RoostRecords

/// The facts that `info` prints about a store.
struct StoreFacts: Encodable {
  struct TreeFacts: Encodable {
    var name: String
    /// `bytes` or `numbers`.
    var keys: String
    var entries: Int
    /// Entries whose value is stored outside the tree's own pages.
    var largeValues: Int
    /// Levels of pages, 0 for an empty tree.
    var depth: Int
    /// The number of leaves, estimated from a sample, as the fill is.
    var leaves: Int
    /// The used fraction of the leaves' room, 0 to 1.
    var fill: Double
  }

  struct Owner: Encodable {
    var process: Int32
    var program: String?
  }

  var path: String
  /// The process that has it open for writing.
  var owner: Owner?
  var formatVersion: UInt32
  var pageSize: UInt32
  var storeID: String
  var fileBytes: UInt64
  var logBytes: UInt64
  /// Renamed logs, which belong to other stores.
  var lostLogs: [String]
  /// The store whose log is beside this one, which was closed.
  var foreignLog: String?
  var pages: Int
  /// The number of free pages at the last checkpoint.
  var freePages: Int
  var commit: UInt64
  var wasClosed: Bool
  var superblocks: [SuperblockSlot]
  var trees: [TreeFacts]
  /// The facts about rows, if it is a store of rows.
  var rows: RecordFacts?
  /// Errors in the superblocks and in the map of free places; `verify` reads everything.
  var damage: [String]

  var isSound: Bool { damage.isEmpty }

  init(_ path: String) throws {
    let slots = try SuperblockSlot.both(of: path)
    let newest = slots.filter { $0.health == .good }.max { ($0.sequence ?? 0) < ($1.sequence ?? 0) }
    superblocks = slots
    formatVersion = newest?.version ?? 0
    pageSize = newest?.pageSize ?? 0
    storeID = newest?.storeID ?? ""
    wasClosed = newest?.namesLog == false
    owner = try Store.owner(of: path).map { Owner(process: $0.process, program: $0.program) }
    trees = []
    if RecordFacts.isThere(path) {
      let witness = try RecordWitness(path)
      self.path = witness.path
      (commit, rows) = try witness.read { reader in (reader.commit, try RecordFacts(reader)) }
    } else {
      (self.path, commit, trees) = try Looking.trees(path) { store in
        let figures = try store.statistics()
        let trees = figures.trees.map { tree in
          TreeFacts(
            name: tree.name, keys: tree.isTable ? "numbers" : "bytes", entries: tree.entries,
            largeValues: tree.largeValues, depth: tree.depth, leaves: tree.leaves, fill: tree.fill)
        }
        return (store.path, figures.commit, trees)
      }
    }
    // The state of the last checkpoint says which places are free, and whether the map of them is
    // readable.
    (pages, freePages, damage) = try Self.examine(path)
    fileBytes = try Self.size(of: self.path)
    logBytes = try Self.size(of: self.path + "-log")
    lostLogs = Self.lostLogs(of: self.path)
    foreignLog = try Store.foreignLog(beside: self.path)?.description
  }

  private static func lostLogs(of path: String) -> [String] {
    let prefix = URL(filePath: Store.lostLogPrefix(path))
    let folder = prefix.deletingLastPathComponent()
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))) ?? []
    return names.filter { $0.hasPrefix(prefix.lastPathComponent) }.sorted()
      .map { folder.appending(path: $0).path(percentEncoded: false) }
  }

  /// Reads only the superblocks and the map of free places. If the file is written meanwhile, it is
  /// read again.
  private static func examine(_ path: String) throws -> (pages: Int, free: Int, damage: [String]) {
    for _ in 0..<Store.mostAttempts {
      let examination = try Store.examine(path, fileSystem: DiskFileSystem.shared, floor: RecordStore.floor)
      let damage = examination.complaints.map { ($0.page.map { "page \($0): " } ?? "") + $0.detail }
      let found = (Int(examination.pageCount), examination.free.count, damage)
      if damage.isEmpty { return found }
      let now = try Store.examine(path, fileSystem: DiskFileSystem.shared, floor: RecordStore.floor)
      if now.sequence == examination.sequence { return found }
    }
    throw Store.ownerIsFaster(path)
  }

  /// 0 if the file does not exist.
  private static func size(of path: String) throws -> UInt64 {
    guard try DiskFileSystem.shared.exists(path) else { return 0 }
    let file = try DiskFileSystem.shared.open(path, .read)
    defer { file.close() }
    return try file.size()
  }

  func write(to console: Console) {
    for sentence in damage { console.line(console.styled("damage", .bad) + "  \(sentence)") }
    let log: String
    if let owner {
      log =
        (wasClosed ? "none yet" : ReadableNumber.bytes(logBytes)) + "; the store is open in process \(owner.process)"
        + (owner.program.map { " (\($0))" } ?? "")
    } else {
      log =
        wasClosed
        ? "none; the store was closed"
        : "\(ReadableNumber.bytes(logBytes)); the store was not closed, and the next opening recovers it"
    }
    let size =
      "\(ReadableNumber.bytes(fileBytes)), \(ReadableNumber.count(pages, "page")), \(ReadableNumber.count(freePages)) of them free"
    console.facts(
      [
        ("store", path),
        ("format", "version \(formatVersion), pages of \(ReadableNumber.count(pageSize, "byte"))"),
        ("identity", storeID),
        ("size", size),
        ("log", log),
        ("last commit", ReadableNumber.count(commit)),
      ] + superblocks.map { ("superblock \($0.slot)", $0.sentence) })
    for lost in lostLogs {
      console.line(
        console.styled("lost log", .bad) + "  \(lost) belongs to another store; 'roost salvage --log' brings it back")
    }
    if let foreignLog {
      console.line(
        console.styled("lost log", .bad) + "  the log beside this store belongs to the store \(foreignLog); the next "
          + "opening for writing renames it")
    }
    for tree in trees {
      var text =
        "\(ReadableNumber.count(tree.entries, "entry", nouns: "entries")), keys are \(tree.keys), depth \(tree.depth)"
      if tree.leaves > 0 {
        text +=
          ", about \(ReadableNumber.count(tree.leaves, "leaf", nouns: "leaves")), \(Int((tree.fill * 100).rounded())) % full"
      }
      if tree.largeValues > 0 { text += ", \(ReadableNumber.count(tree.largeValues, "value")) in extents" }
      console.line("  " + console.styled(tree.name, .strong) + ": " + text)
    }
    rows?.write(to: console)
  }
}
