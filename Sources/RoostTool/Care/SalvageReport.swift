import Roost
import RoostFile
import RoostKV
import RoostPages
import RoostRecords

/// The result of `salvage`: what was saved, and what was lost.
struct SalvageReport: Encodable {
  struct Loss: Encodable {
    var tree: String?
    var page: UInt64?
    var sentence: String
    /// Hexadecimal digits, because keys are bytes.
    var low: String?
    var high: String?
    var entries: Int?
  }

  struct Entity: Encodable {
    var name: String
    var rows: Int
  }

  struct Tree: Encodable {
    var name: String
    var entries: Int
    var unverified: Int
  }

  var source: String
  var target: String
  var isComplete: Bool
  var losses: [Loss]
  var trees: [Tree]
  var entries: Int
  var unverified: Int
  /// Pages in which one bit had flipped. Nothing in them is lost.
  var repairedPages: Int
  /// Commits of the log that were replayed over the saved trees.
  var commits: Int
  /// The entities of the new store, if it is a store of rows.
  var entities: [Entity]
  var seconds: Double
  private let sentences: [String]

  private enum CodingKeys: String, CodingKey {
    case source, target, isComplete, losses, trees, entries, unverified, repairedPages, commits, entities, seconds
  }

  init(_ source: String, log: String? = nil, _ target: String, console: Console) throws {
    let began = ContinuousClock.now
    var bar: Progress?
    let rows = RowSalvage(writer: HistoryWriter.ofThisProgram)
    let found = try KeyValueStore.salvage(
      from: source, log: log, to: target, options: StoreOptions(), fileSystem: DiskFileSystem.shared, content: rows
    ) { progress in
      if bar == nil { bar = Progress("saving", of: progress.total, on: console) }
      bar?.advance(to: min(progress.entries, progress.total))
    }
    bar?.end()
    seconds = ReadableNumber.seconds(ContinuousClock.now - began)
    self.source = source
    self.target = target
    isComplete = found.isComplete
    losses = found.losses.map {
      Loss(
        tree: $0.tree, page: $0.page, sentence: $0.sentence, low: $0.low.map(Self.hexadecimal),
        high: $0.high.map(Self.hexadecimal), entries: $0.entries)
    }
    sentences = found.losses.map { "\($0)" }
    trees = found.trees.map { Tree(name: $0.name, entries: $0.entries, unverified: $0.unverified) }
    entries = found.entries
    unverified = found.unverified
    repairedPages = found.repairedPages
    commits = found.records
    entities = rows.entities.map { Entity(name: $0.name, rows: $0.rows) }
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  func write(to console: Console) {
    for sentence in sentences { console.line(console.styled("lost", .bad) + "  \(sentence)") }
    var text =
      "\(ReadableNumber.count(entries, "entry", nouns: "entries")) in \(ReadableNumber.count(trees.count, "tree"))"
    var counted = "of them"
    if !entities.isEmpty {
      let rows = entities.reduce(0) { $0 + $1.rows }
      text =
        "\(ReadableNumber.count(rows, "row")) of \(ReadableNumber.count(entities.count, "entity", nouns: "entities"))"
      // Rows, links, large values and the history are entries, and all of them are counted here.
      counted = "of \(ReadableNumber.count(entries, "entry", nouns: "entries")) in the trees"
    }
    if commits > 0 { text += ", with \(ReadableNumber.count(commits, "commit")) of the log" }
    if unverified > 0 { text += ", \(ReadableNumber.count(unverified)) \(counted) unverified" }
    if repairedPages > 0 { text += ", \(ReadableNumber.count(repairedPages, "damaged page")) repaired" }
    if !isComplete { text += "; \(ReadableNumber.count(losses.count, "loss", nouns: "losses"))" }
    console.line(console.styled("saved", isComplete ? .good : .bad) + "  " + text)
  }
}
