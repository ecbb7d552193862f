import Foundation
import RoostRecords
import RoostTestSupport
import Testing

@testable import RoostTool

/// `diff`.
@Suite struct DiffCommandTests {
  private let folder: ScratchFolder
  private let old: String
  private let new: String

  init() throws {
    folder = try ScratchFolder()
    (old, new) = (folder.file("old.roost"), folder.file("new.roost"))
    _ = try RowsFixture.make(old, tracks: 10)
    _ = try RowsFixture.make(new, tracks: 10)
  }

  private func change(_ path: String, _ body: (RecordWriter) throws -> Void) throws {
    let store = try RecordStore(path)
    try store.write { try body($0) }
    try store.close()
  }

  @Test func `equal stores`() {
    let found = Transcript.of("diff", old, new)
    #expect(found.ending == .good && found.output == "same  the models and all rows are the same\n", "\(found)")
    #expect(Transcript.of("diff", old, old, "--by", "key").ending == .good)
    #expect(Transcript.of("diff", old, new, "--json").output.hasSuffix("\"isSame\":true}\n"))
  }

  @Test func `added, removed and changed rows, with their properties`() throws {
    try change(new) { writer in
      let tracks = try writer.table("Track")
      try tracks.update(
        RowID(2), ["title": .string("Tr\u{61}ck 2"), "rating": .double(-0.0), "album": .reference(RowID(2))])
      try tracks.update(RowID(3), ["rating": .double(.nan), "words": .array([.string("b")])])
      _ = try tracks.delete(RowID(4))
      try tracks.insert(["id": .int(11), "title": .string("new")])
      try writer.links("tags", of: "Track").append(RowID(2), to: RowID(1))
      try writer.links("tags", of: "Track").replace([RowID(2), RowID(1)], of: RowID(6))
    }
    let found = Transcript.of("diff", old, new)
    #expect(found.ending == .failed)
    #expect(
      found.output == """
        ~ Tag #1
            tracks: [#10, #2, #4, #6, #8] → [#10, #2, #6, #8]
        ~ Tag #2
            tracks: [] → [#1, #6]
        Tag: 0 added, 0 removed, 2 changed
        ~ Track #1
            tags: [] → [#2]
        ~ Track #2
            rating: 1.0 → -0.0
            album: #1 → #2
        ~ Track #3
            rating: nil → "0x7ff8000000000000"
            words: ["a"] → ["b"]
        - Track #4
        ~ Track #6
            tags: [#1] → [#2, #1]
        + Track #11
        Track: 1 added, 1 removed, 4 changed

        """, "\(found)")
    let one = Transcript.of("diff", old, new, "--entity", "Track", "--most", "1")
    #expect(
      one.output.contains("~ Track #1\n") && !one.output.contains("Track #2") && one.output.contains("and 5 more"))
    let json = Transcript.of("diff", old, new, "--json")
    let object = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    #expect((object["differences"] as? [Any])?.count == 8 && object["isSame"] as? Bool == false, "\(json)")
  }

  /// The rows have different numbers in the second store.
  @Test func `rows with the same key are compared`() throws {
    let other = folder.file("other.roost")
    let store = try RowsFixture.make(other, closes: false)
    try store.write { writer in
      for number in [3, 1, 2, 7] {
        try writer.table("Track").insert([
          "id": .int(Int64(number)), "title": .string(number == 2 ? "other" : "Track \(number)"),
          "plays": .int(Int64(number)), "rating": number == 3 ? .null : .double(Double(number) / 2),
          "words": .array([.string("a")]), "album": .reference(RowID(UInt64(number % 2 + 1))),
        ])
      }
      try writer.links("tags", of: "Track").append(RowID(1), to: RowID(3))
    }
    try store.close()
    try change(old) { writer in
      for number in 4...10 { _ = try writer.table("Track").delete(RowID(UInt64(number))) }
    }
    let found = Transcript.of("diff", old, other, "--by", "key", "--entity", "Track")
    #expect(
      found.output == """
        ~ Track 2
            title: "Track 2" → "other"
        + Track 7
        Track: 1 added, 0 removed, 1 changed

        """, "\(found)")
    #expect(Transcript.of("diff", old, other).output.contains("~ Track #1\n    id: 1 → 3\n"))
  }

  @Test func `different models come first`() throws {
    try change(new) { writer in
      try writer.change { catalog in
        try catalog.change(entity: "Album") { (entity) throws(RecordFault) in
          try entity.add("label", .string, isOptional: true)
        }
        try catalog.remove(index: "by plays", of: "Track")
        try catalog.add(entity: "Radio") { (entity) throws(RecordFault) in try entity.add("name", .string) }
      }
      try writer.table("Radio").insert(["name": .string("a")])
    }
    let found = Transcript.of("diff", old, new)
    #expect(
      found.output == """
        models
          Album
            + var label: String?
          + Radio
          Track
            - #Index<Track>([\\.plays])
        Radio: 1 added, 0 removed, 0 changed

        """, "\(found)")
    #expect(found.ending == .failed)
  }

  @Test func `wrong arguments`() throws {
    #expect(Transcript.of("diff", old).ending == .usage)
    #expect(Transcript.of("diff", old, folder.file("none.roost")).errors.contains("notFound"))
    #expect(Transcript.of("diff", old, new, "--entity", "Trakc").errors.contains("Did you mean 'Track'"))
    #expect(Transcript.of("diff", old, new, "--by", "title").ending == .usage)
  }
}
