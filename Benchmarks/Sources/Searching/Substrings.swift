import Foundation
import Roost

@Model final class Passage {
  #FullText<Passage>([\.body], .substrings)
  var body: String

  init(_ body: String) { self.body = body }
}

/// An index of three characters, beside the trigrams of FTS5: `--substrings`.
struct Substrings {
  let texts: any TextSource
  let turns: ByTurns
  let folder: URL

  func run() throws {
    let all = (0..<texts.count).map { texts.body($0) }
    print("\(texts.count) texts, \(all.reduce(0) { $0 + $1.utf8.count } / 1_000_000) MB, by three characters")
    let (file, other) = (folder.appending(path: "passages.roost"), folder.appending(path: "passages.sqlite"))
    let fts = try FTS5(other.path, columns: "body, tokenize = 'trigram'")
    let plain = try ByTurns.time {
      try fts.run("BEGIN")
      for text in all { try fts.insert(text) }
      try fts.run("COMMIT")
    }
    var container = try ModelContainer(for: Passage.self, configurations: ModelConfiguration(url: file))
    let ours = try ByTurns.time { try ModelContext(container).insert(batch: all) { Passage($0) } }
    ByTurns.show("build", ours, plain)
    try container.close()
    try fts.run("PRAGMA wal_checkpoint(TRUNCATE)")
    try ByTurns.size(file, other)
    container = try ModelContainer(for: Passage.self, configurations: ModelConfiguration(url: file))
    let context = ModelContext(container)
    for length in [4, 6, 8] {
      let parts = parts(of: length)
      try turns.compare("\(length) characters, count, contains", parts) { part in
        try context.fetchCount(FetchDescriptor<Passage>(predicate: #Predicate { $0.body.contains(part) }))
      } plain: {
        try fts.count(containing: $0)
      }
      try turns.compare("\(length) characters, count, localizedStandardContains", parts) { part in
        try context.fetchCount(
          FetchDescriptor<Passage>(predicate: #Predicate { $0.body.localizedStandardContains(part) }))
      } plain: {
        try fts.count(containing: $0)
      }
    }
  }

  /// Forty parts of texts, across words too.
  private func parts(of length: Int) -> [String] {
    var random = Random(seed: UInt64(length))
    var parts: [String] = []
    while parts.count < 40 {
      let body = Array(texts.body(random.below(texts.count)))
      guard body.count > length else { continue }
      let start = random.below(body.count - length)
      let part = body[start..<start + length]
      if part.allSatisfy({ $0.isASCII && ($0.isLowercase || $0 == " ") }) { parts.append(String(part)) }
    }
    return parts
  }
}
