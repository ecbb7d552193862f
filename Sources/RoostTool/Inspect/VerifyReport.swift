import RoostKV
import RoostRecords
import RoostTrees

/// The report of a verification.
struct VerifyReport: Encodable {
  struct Line: Encodable {
    var page: UInt64?
    var tree: String?
    var sentence: String
    /// The number of the violated rule in Docs/DURABILITY.md.
    var invariant: Int?
  }

  var path: String
  var isSound: Bool
  /// Repairs that were made in the file before it was read.
  var repairs: [String] = []
  var findings: [Line]
  /// Expected results of a crash, which are not damage.
  var notes: [Line]
  var pages: Int
  var pagesRead: Int
  var freePages: Int
  var trees: Int
  var entries: Int
  var largeValues: Int
  var seconds: Double
  /// The facts about rows, if it is a store of rows.
  var rows: RecordFacts?
  private let sentences: [String]

  private enum CodingKeys: String, CodingKey {
    case path, isSound, repairs, findings, notes
    case pages, pagesRead, freePages, trees, entries, largeValues, seconds, rows
  }

  init(_ path: String, repairs: [String] = []) throws {
    if RecordFacts.isThere(path) { try self.init(rows: path) } else { try self.init(keys: path) }
    self.repairs = repairs
  }

  private init(rows path: String) throws {
    let found = try RecordStore.verify(path)
    self.path = path
    isSound = found.isSound
    findings = found.findings.map {
      Line(page: $0.page, tree: $0.index ?? $0.entity ?? $0.tree, sentence: "\($0)", invariant: nil)
    }
    sentences = found.findings.map { "\($0)" }
    notes = found.pages.notes.map { Line(page: $0.page, tree: nil, sentence: $0.sentence, invariant: nil) }
    pages = found.pages.pages
    pagesRead = found.pages.pagesRead
    freePages = found.pages.freePages
    trees = found.pages.trees
    entries = found.pages.entries
    largeValues = found.pages.largeValues
    seconds = found.pages.seconds
    // For a damaged store, only the subclasses that can still be counted.
    let subclasses = try? Looking.rows(path).read { try RecordFacts.subclasses($0) }
    rows = RecordFacts(found, subclasses: subclasses ?? [:])
  }

  private init(keys path: String) throws {
    let found = try KeyValueStore.verify(path: path)
    self.path = path
    isSound = found.isSound
    findings = found.findings.map {
      Line(page: $0.page, tree: $0.tree, sentence: $0.sentence, invariant: $0.invariant)
    }
    sentences = found.findings.map { "\($0)" }
    notes = found.notes.map { Line(page: $0.page, tree: nil, sentence: $0.sentence, invariant: nil) }
    pages = found.pages
    pagesRead = found.pagesRead
    freePages = found.freePages
    trees = found.trees
    entries = found.entries
    largeValues = found.largeValues
    seconds = found.seconds
  }

  func write(to console: Console) {
    for sentence in repairs { console.line(console.styled("repaired", .good) + "  \(sentence)") }
    for sentence in sentences { console.line(console.styled("damage", .bad) + "  \(sentence)") }
    for note in notes {
      console.line(console.styled("note", .strong) + "  " + (note.page.map { "page \($0): " } ?? "") + note.sentence)
    }
    let examined =
      "\(ReadableNumber.count(entries, "entry", nouns: "entries")) in \(ReadableNumber.count(trees, "tree")), "
      + "\(ReadableNumber.count(largeValues, "value")) in extents; \(ReadableNumber.count(pagesRead)) of "
      + "\(ReadableNumber.count(pages, "page")) read, \(ReadableNumber.count(freePages)) free"
    if isSound {
      console.line(console.styled("sound", .good) + "  \(examined)")
    } else {
      console.line("\(ReadableNumber.count(findings.count, "finding")); \(examined)")
      console.line("Restore a backup, or copy what can still be read into a new store with 'roost salvage'.")
    }
    rows?.write(to: console)
  }
}
