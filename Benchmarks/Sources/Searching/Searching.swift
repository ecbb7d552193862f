import Foundation
import Roost

@Model final class Page {
  #FullText<Page>([\.title, \.body])
  var title: String
  var body: String
  /// One of ten, in turn.
  var shelf: Int

  init(_ title: String, _ body: String, shelf: Int) { (self.title, self.body, self.shelf) = (title, body, shelf) }
}

/// Compares full text search with objects to FTS5 of SQLite with rows. Both have the same texts,
/// and sync each commit.
@main struct Searching {
  static func main() throws {
    let arguments = CommandLine.arguments
    func option(_ name: String, _ other: Int) -> Int {
      arguments.firstIndex(of: name).flatMap { arguments.dropFirst($0 + 1).first }.flatMap { Int($0) } ?? other
    }
    let folder = FileManager.default.temporaryDirectory.appending(path: "searching-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let corpus = arguments.firstIndex(of: "--corpus").flatMap { arguments.dropFirst($0 + 1).first }
    let size = option("--size", 100_000)
    let texts: any TextSource = try corpus.map { try TextFiles($0, most: size) } ?? Texts(count: size)
    let turns = ByTurns(runs: option("--runs", 5), isStrict: texts.isMade)
    if arguments.contains("--substrings") {
      try Substrings(texts: texts, turns: turns, folder: folder).run()
    } else {
      try Searching(texts: texts, turns: turns, folder: folder).run()
    }
  }

  let texts: any TextSource
  let turns: ByTurns
  let folder: URL

  func run() throws {
    let all = (0..<texts.count).map { (title: texts.title($0), body: texts.body($0), shelf: $0 % 10) }
    print("\(texts.count) texts, \(all.reduce(0) { $0 + $1.body.utf8.count } / 1_000_000) MB")
    let (file, other) = (folder.appending(path: "pages.roost"), folder.appending(path: "pages.sqlite"))
    let fts = try FTS5(other.path, columns: "title, body, shelf UNINDEXED, tokenize = 'unicode61'")
    let plain = try ByTurns.time {
      try fts.run("BEGIN")
      for text in all { try fts.insert(text.title, text.body, "\(text.shelf)") }
      try fts.run("COMMIT")
    }
    var container = try ModelContainer(for: Page.self, configurations: ModelConfiguration(url: file))
    let ours = try ByTurns.time {
      try ModelContext(container).insert(batch: all) { Page($0.title, $0.body, shelf: $0.shelf) }
    }
    ByTurns.show("build", ours, plain)
    try container.close()
    try fts.run("PRAGMA wal_checkpoint(TRUNCATE)")
    try ByTurns.size(file, other)

    container = try ModelContainer(for: Page.self, configurations: ModelConfiguration(url: file))
    let context = ModelContext(container)
    try ask(questions(), "", context, fts)
    for (name, questions) in questions() {
      try turns.compare("\(name), the best 10 of one shelf", questions) { question in
        try ModelContext(container).search(
          Page.self, for: question, where: #Predicate { $0.shelf == 3 }, limit: 10
        ).count { !$0.model.title.isEmpty }
      } plain: {
        try fts.best($0, shelf: 3)
      }
    }
    // More than 64 rows make a segment. These leave 64 rows that are in none.
    try turns.commits("commits of one text", 0..<1039) { number in
      context.insert(Page(texts.title(number), texts.body(number), shelf: number % 10))
      try context.save()
    } plain: { number in
      try fts.insert(texts.title(number), texts.body(number), "\(number % 10)")
    }
    try ask(questions(), "among new rows: ", context, fts)
  }

  private func ask(_ questions: [(String, [String])], _ title: String, _ context: ModelContext, _ fts: FTS5) throws {
    for (name, questions) in questions {
      try turns.compare("\(title)\(name), count", questions) { question in
        try context.fetchCount(FetchDescriptor<Page>(predicate: #Predicate { $0.matches(question) }))
      } plain: {
        try fts.count($0)
      }
      try turns.compare("\(title)\(name), the best 10 with titles", questions) { question in
        let found = try ModelContext(context.container).search(Page.self, for: question, limit: 10)
        return found.count { !$0.model.title.isEmpty }
      } plain: {
        try fts.best($0)
      }
    }
  }

  /// Forty queries of each kind, for words that are neither rare nor everywhere.
  private func questions() -> [(String, [String])] {
    var random = Random(seed: 7)
    func word() -> String { texts.word(20 + random.below(min(2000, max(1, texts.wordCount - 20)))) }
    func phrase() -> String {
      while true { if let found = texts.phrase(&random) { return found } }
    }
    return [
      ("one word", (0..<40).map { _ in word() }),
      ("three words", (0..<40).map { _ in [word(), word(), texts.word(random.below(200))].joined(separator: " ") }),
      ("phrase of two words", (0..<40).map { _ in phrase() }),
      ("prefix of four letters", (0..<40).map { _ in word().prefix(4) + "*" }),
    ]
  }
}
