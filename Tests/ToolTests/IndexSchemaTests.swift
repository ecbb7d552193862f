#if os(Linux)
  import Foundation
  import RoostPages
  import RoostRecords
  import RoostTestSupport
  import Testing

  @testable import RoostTool

  /// Indexes with conditions and forms, as the tool prints and dumps them.
  @Suite struct IndexSchemaTests {
    private static func make(_ path: String) throws {
      let store = try RecordStore(path)
      try store.write { writer in
        try writer.change { catalog in
          try catalog.add(entity: "Note") { (entity) throws(RecordFault) in
            try entity.add("title", .string)
            try entity.add("rank", .int64)
            try entity.add("due", .date, isOptional: true)
            try entity.add("isDone", .bool)
            try entity.add("tags", .array(.plain(.string)))
          }
          let entity = catalog.entity("Note")!
          func part(_ name: String, _ form: Index.Form = .value, isDescending: Bool = false) -> Index.Part {
            Index.Part(entity.field(name)!.id, isDescending: isDescending, form: form)
          }
          func field(_ name: String) -> FieldID { entity.field(name)!.id }
          try catalog.add(index: "plain", of: "Note", on: ["rank"])
          try catalog.add(
            index: "open", of: "Note", parts: [part("due")], tests: [.equals(field("isDone"), .bool(false))])
          try catalog.add(
            index: "mixed", of: "Note", parts: [part("title", .lowercased), part("rank", isDescending: true)])
          try catalog.add(index: "tags", of: "Note", parts: [part("tags", .elements)])
          try catalog.add(
            index: "alone", of: "Note", parts: [part("title")], isUnique: true,
            tests: [
              .any([.compares(field("rank"), .greater, .int(5)), .isNull(field("due"))]),
              .compares(field("title"), .notEqual, .string("")),
            ])
        }
        for number in 0..<30 {
          try writer.table("Note").insert([
            "title": .string("Note \(number)"), "rank": .int(Int64(number)), "isDone": .bool(number % 3 == 0),
            "tags": .array([.string("a"), .string("t\(number % 4)")]),
          ])
        }
      }
      try store.close()
    }

    @Test func `schema prints them as macros`() throws {
      let folder = try ScratchFolder()
      try Self.make(folder.file("notes.roost"))
      let text = Transcript.of("schema", folder.file("notes.roost")).output
      #expect(text.contains(#"#Index<Note>([\.rank])"#), "\(text)")
      #expect(
        text.contains(#"#Index<Note>([.lowercased(\.title), .descending(\.rank)], [.elements(\.tags)])"#), "\(text)")
      #expect(text.contains(#"#Index<Note>([\.due], where: { !$0.isDone })"#), "\(text)")
      #expect(
        text.contains(#"#Unique<Note>([\.title], where: { ($0.rank > 5 || $0.due == nil) && $0.title != "" })"#),
        "\(text)")
    }

    @Test func `conditions name parts of values`() throws {
      let folder = try ScratchFolder()
      let path = folder.file("notes.roost")
      try Self.make(path)
      let store = try RecordStore(path)
      try store.write { writer in
        try writer.change { catalog in
          try catalog.change(entity: "Note") { (entity) throws(RecordFault) in
            try entity.add("labels", .dictionary(.plain(.string), .plain(.int64)), isOptional: true)
          }
        }
        let table = try writer.table("Note")
        try table.update(
          RowID(3), ["due": .date(0), "title": .string("ÉTÉ"), "labels": .dictionary([.string("x"): .int(4)])])
      }
      try store.close()
      func count(_ condition: String) -> String { Transcript.of("query", path, "Note", condition, "--count").output }
      #expect(count("title.folded == \"ete\"") == "1\n")
      #expect(count("due.utc.year == 2001 && due.utc.weekday == 2 && due.utc.hour == 0") == "1\n")
      #expect(count("labels.keys.contains(\"x\")") == "1\n" && count("labels.keys.contains(\"y\")") == "0\n")
      #expect(count("due.utc.month == 2") == "0\n")
      let columns = Transcript.of(
        "query", path, "Note", "due != nil", "--columns", "year = due.utc.year", "--format", "csv")
      #expect(columns.output == "year\n2001\n", "\(columns)")
      let wrong = Transcript.of("query", path, "Note", "due.utc.yaer == 1")
      #expect(wrong.ending != .good && wrong.errors.contains("'year'"), "\(wrong)")
    }

    @Test func `a dump and a load keep them`() throws {
      let folder = try ScratchFolder()
      let (first, second, dump) = (folder.file("notes.roost"), folder.file("again.roost"), folder.file("notes.dump"))
      try Self.make(first)
      #expect(Transcript.of("dump", first, dump).ending == .good)
      #expect(Transcript.of("load", dump, second).ending == .good)
      let (one, other) = (try RecordStore(first), try RecordStore(second))
      #expect(try one.read { $0.catalog.indexes } == other.read { $0.catalog.indexes })
      #expect(try other.verify().findings.isEmpty)
      #expect(try other.read { try $0.table("Note").index("tags")?.count } == 60)
      try one.close()
      try other.close()
    }
  }
#endif
