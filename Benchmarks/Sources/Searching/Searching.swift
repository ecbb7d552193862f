import Foundation
import Roost

@Model final class Page {
  #FullText<Page>([\.title, \.body])
  var title: String
  var body: String

  init(_ title: String, _ body: String) { (self.title, self.body) = (title, body) }
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
    try Searching(texts: texts, runs: option("--runs", 5), folder: folder).run()
  }

  let texts: any TextSource
  let runs: Int
  let folder: URL

  func run() throws {
    let all = (0..<texts.count).map { (title: texts.title($0), body: texts.body($0)) }
    print("\(texts.count) texts, \(all.reduce(0) { $0 + $1.body.utf8.count } / 1_000_000) MB")
    let (file, other) = (folder.appending(path: "pages.roost"), folder.appending(path: "pages.sqlite"))
    let fts = try FTS5(other.path)
    let plain = try time {
      try fts.run("BEGIN")
      for text in all { try fts.insert(text.title, text.body) }
      try fts.run("COMMIT")
    }
    var container = try ModelContainer(for: Page.self, configurations: ModelConfiguration(url: file))
    let ours = try time { try ModelContext(container).insert(batch: all) { Page($0.title, $0.body) } }
    show("build", ours, plain)
    try container.close()
    try fts.run("PRAGMA wal_checkpoint(TRUNCATE)")
    let sizes = try [file, other].map { try $0.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0 }
    print(
      "size: \(sizes[0] / 1_000_000) MB, FTS5 \(sizes[1] / 1_000_000) MB, ratio \(ratio(Double(sizes[0]), Double(sizes[1])))"
    )

    container = try ModelContainer(for: Page.self, configurations: ModelConfiguration(url: file))
    let context = ModelContext(container)
    for (name, questions) in self.questions() {
      try compare("\(name), count", questions) { question in
        try context.fetchCount(FetchDescriptor<Page>(predicate: #Predicate { $0.matches(question) }))
      } plain: {
        try fts.count($0)
      }
      try compare("\(name), the best 10 with titles", questions) { question in
        try ModelContext(container).search(Page.self, for: question, limit: 10).count { !$0.model.title.isEmpty }
      } plain: {
        try fts.best($0)
      }
    }
    let some = (0..<200).map { (texts.title($0 + texts.count), texts.body($0 + texts.count)) }
    let oneByOne = try time { for (title, body) in some { try fts.insert(title, body) } }
    let saves = try time {
      for (title, body) in some {
        context.insert(Page(title, body))
        try context.save()
      }
    }
    show("200 commits of one text", saves, oneByOne)
    // The newest rows are in no segment yet.
    for place in 0..<50 {
      context.insert(Page(texts.title(place), texts.body(place)))
      try context.save()
      try fts.insert(texts.title(place), texts.body(place))
    }
    try compare("one word among new rows, count", questions()[0].1) { question in
      try context.fetchCount(FetchDescriptor<Page>(predicate: #Predicate { $0.matches(question) }))
    } plain: {
      try fts.count($0)
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

  /// Runs all queries in turns, and prints the medians for one query. The answers must be the same.
  private func compare(
    _ name: String, _ questions: [String], ours: (String) throws -> Int, plain: (String) throws -> Int
  ) throws {
    var times: (ours: [Double], plain: [Double]) = ([], [])
    for run in 0...runs {
      var found: ([Int], [Int]) = ([], [])
      let one = try time { found.0 = try questions.map(plain) }
      let other = try time { found.1 = try questions.map(ours) }
      let others = zip(found.0, found.1).count { $0 != $1 }
      if others > 0, texts.isMade { throw FTS5.Failure(text: "\(name): other answers than FTS5") }
      if run == 0 {
        if others > 0 { print("\(name): \(others) of \(questions.count) answers are others than those of FTS5") }
        continue
      }
      times.plain.append(one / Double(questions.count))
      times.ours.append(other / Double(questions.count))
    }
    show(name, times.ours.sorted()[runs / 2], times.plain.sorted()[runs / 2])
  }

  private func show(_ name: String, _ ours: Double, _ plain: Double) {
    print("\(name): \(String(format: "%.3f ms, FTS5 %.3f ms", ours, plain)), ratio \(ratio(ours, plain))")
  }

  private func ratio(_ one: Double, _ other: Double) -> String { String(format: "%.2f", one / other) }

  private func time(_ body: () throws -> Void) rethrows -> Double {
    try ContinuousClock().measure(body) / .milliseconds(1)
  }
}
