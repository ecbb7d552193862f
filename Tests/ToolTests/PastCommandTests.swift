import Foundation
import RoostRecords
import RoostTestSupport
import Testing

@testable import RoostTool

/// `--as-of`, and `restore --entity`.
@Suite struct PastCommandTests {
  private let folder: ScratchFolder
  private let path: String

  /// 20 tracks. The full history begins at the third transaction.
  init() throws {
    folder = try ScratchFolder()
    path = folder.file("music.roost")
    _ = try RowsFixture.make(path, tracks: 20)
    try change { try $0.setHistory(.full) }
  }

  private func change(_ body: (RecordWriter) throws -> Void) throws {
    let store = try RecordStore(path, clock: { 1_790_000_000_000 })
    try store.write { try body($0) }
    try store.close()
  }

  /// All rows with their references, by unique keys.
  private func content(_ more: String...) -> [String] {
    ["Album", "Tag", "Track"].map { entity in
      let key = ["Album": "title", "Tag": "name", "Track": "id"][entity] ?? ""
      let arguments = ["export", path, entity, "--sort", key, "--format", "jsonl"] + more
      return Transcript.run(arguments).output
    }
  }

  private func removeMuch() throws {
    try change { writer in
      let tracks = try writer.table("Track")
      for row in [3, 4, 7] as [UInt64] { try tracks.deleteFollowingRules(RowID(row)) }
      try tracks.update(RowID(1), ["title": .string("Another"), "album": .null])
      try writer.table("Album").deleteFollowingRules(RowID(2))
      try writer.links("tags", of: "Track").replace([RowID(2), RowID(1)], of: RowID(6))
    }
    try change { writer in try writer.table("Tag").deleteFollowingRules(RowID(1)) }
  }

  @Test func `reading commands show the past`() throws {
    let before = content()
    try removeMuch()
    #expect(content() != before)
    #expect(content("--as-of", "3") == before)
    #expect(Transcript.of("query", path, "Track", "--count", "--as-of", "3").output == "20\n")
    #expect(Transcript.of("query", path, "Track", "--count", "--as-of", "4").output == "17\n")
    #expect(
      Transcript.of("query", path, "Track", "id == 3", "--columns", "title", "--as-of", "3").output.contains("Track 3"))
    #expect(Transcript.of("get", path, "Album", "Hejira", "--as-of", "3").output.contains("→ 10 of Track"))
    #expect(Transcript.of("get", path, "Album", "Hejira").ending == .failed)
    let early = Transcript.of("query", path, "Track", "--count", "--as-of", "2026-09-21T12:00:00Z")
    #expect(early.output == "20\n", "\(early)")
    #expect(Transcript.of("query", path, "Track", "--count", "--as-of", "2030-01-01").output == "17\n")
    let lines = Transcript.of("history", path, "--as-of", "4").output.split(separator: "\n")
    #expect(lines.last?.hasPrefix("4  ") == true)
  }

  @Test func `an unknown moment is an error`() throws {
    try removeMuch()
    for (moment, ending, reason) in [
      ("9", Ending.failed, "newest transaction is 5"), ("1", .failed, "was not full"),
      ("then", .usage, "neither a transaction nor a time"), ("1890-01-01", .usage, "outside the times"),
    ] {
      let found = Transcript.of("query", path, "Track", "--as-of", moment)
      #expect(found.ending == ending && found.errors.contains(reason), "\(moment): \(found)")
    }
    try change { _ = try $0.pruneHistory(through: UInt64(4)) }
    let pruned = Transcript.of("query", path, "Track", "--as-of", "3")
    #expect(pruned.ending == .failed && pruned.errors.contains("up to transaction 4 was removed"), "\(pruned)")
    #expect(Transcript.of("history", path, "--follow", "--as-of", "4").ending == .usage)
  }

  @Test func `rows come back from the past`() throws {
    let before = content()
    try removeMuch()
    for entity in ["Tag", "Album", "Track"] {
      let found = Transcript.of("restore", "--entity", entity, "--as-of", "3", path)
      #expect(found.ending == .good, "\(found)")
    }
    #expect(content() == before)
    #expect(Transcript.of("verify", path).ending == .good)
    let again = Transcript.of("restore", "--entity", "Track", "--as-of", "3", path)
    #expect(again.output.contains("nothing was written"), "\(again)")
    let author = Transcript.of("history", path, "--limit", "1").output
    #expect(author.contains("roost restore"), "\(author)")
  }

  @Test func `chosen rows come back from a backup`() throws {
    let copy = folder.file("copy.roost")
    #expect(Transcript.of("backup", path, copy).ending == .good)
    try removeMuch()
    let found = Transcript.of("restore", "--entity", "Track", "--where", "id == 4", copy, path, "--json")
    #expect(found.ending == .good && found.output.contains("\"inserted\" : 1"), "\(found)")
    #expect(found.output.contains("\"lostReferences\" : 0"), "\(found)")
    let back = Transcript.of("query", path, "Track", "id == 4", "--columns", "title,album").output
    #expect(back.contains("Track 4") && back.contains("Blue"), "\(back)")
    #expect(Transcript.of("query", path, "Track", "id == 3", "--count").output == "0\n")
    let lost = Transcript.of("restore", "--entity", "Track", "--where", "id == 3", copy, path)
    #expect(lost.output.contains("1 reference to rows that are gone is nil"), "\(lost)")
    // Another store is not a backup.
    let other = folder.file("other.roost")
    let stranger = try RowsFixture.make(other, tracks: 3, closes: false)
    for _ in 0..<3 { try stranger.write { _ = try $0.table("Tag").insert(["name": .string("t \($0.commitNumber)")]) } }
    try stranger.close()
    let strange = Transcript.of("restore", "--entity", "Track", other, path)
    #expect(strange.ending == .failed && strange.errors.contains("is no backup of this one"), "\(strange)")
    #expect(Transcript.of("verify", path).ending == .good)
  }

  @Test func `a unique value that moved to another row returns to its first row`() throws {
    let before = content()
    try change { writer in
      let albums = try writer.table("Album")
      try albums.deleteFollowingRules(RowID(1))
      try albums.update(RowID(2), ["title": .string("Blue")])
      try albums.insert(["title": .string("Hejira")])
    }
    let refused = Transcript.of("restore", "--entity", "Album", "--as-of", "3", path)
    #expect(refused.ending == .failed && refused.errors.contains("notUnique: row 2"), "\(refused)")
    try change { writer in try writer.table("Album").deleteFollowingRules(RowID(3)) }
    let found = Transcript.of("restore", "--entity", "Album", "--as-of", "3", path)
    #expect(found.ending == .good, "\(found)")
    #expect(content() == before)
    #expect(Transcript.of("verify", path).ending == .good)
  }

  @Test func `arguments that contradict each other are refused`() {
    for words in [
      ["--where", "id == 1", "a", "b"], ["--as-of", "3", "a", "b"], ["--entity", "Track", path],
      ["--entity", "Track", "--replace", "a", path], ["a"],
      ["--entity", "Track", "--entity", "Tag", "--where", "id == 1", "--as-of", "3", path],
    ] {
      #expect(Transcript.run(["restore"] + words).ending == .usage, "\(words)")
    }
    let unknown = Transcript.of("restore", "--entity", "Trak", "--as-of", "3", path)
    #expect(unknown.ending == .failed && unknown.errors.contains("Track"), "\(unknown)")
  }

  @Test(arguments: UInt64(1)...8) func `everything comes back after any changes`(seed: UInt64) throws {
    let before = content()
    var random = SplitMix64(seed: seed)
    for _ in 0..<4 {
      try change { writer in
        for _ in 0..<8 {
          let row = RowID(UInt64(1 + random.below(20)))
          let tag = RowID(UInt64(1 + random.below(2)))
          let isThere = try writer.contains(row, writer.catalog.entity("Track")!.id)
          switch random.below(8) {
          case 0, 1: try writer.table("Track").deleteFollowingRules(row)
          case 2 where isThere: try writer.table("Track").update(row, ["plays": .int(Int64(random.below(99)))])
          case 3 where isThere: try writer.table("Track").update(row, ["album": .null])
          case 4 where isThere: try writer.links("tags", of: "Track").removeAll(of: row)
          case 5: if random.below(4) == 0 { try writer.table("Tag").deleteFollowingRules(tag) }
          case 6: if random.below(4) == 0 { try writer.table("Album").deleteFollowingRules(tag) }
          default: continue
          }
        }
      }
    }
    let entities = ["Track", "Album", "Tag"].shuffled(using: &random)
    if seed % 2 == 0 {
      let all = ["restore", "--as-of", "3", path] + entities.flatMap { ["--entity", $0] }
      #expect(Transcript.run(all).ending == .good)
    } else {
      // Each entity finds the rows that the earlier entities brought back.
      for entity in entities {
        #expect(Transcript.of("restore", "--entity", entity, "--as-of", "3", path).ending == .good)
      }
    }
    let after = content()
    for (found, wanted) in zip(after.joined().split(separator: "\n"), before.joined().split(separator: "\n")) {
      #expect(found == wanted, "seed \(seed)")
    }
    #expect(after == before, "seed \(seed)")
    #expect(Transcript.of("verify", path).ending == .good)
  }
}
