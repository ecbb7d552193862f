#if os(Linux)
  import Foundation
  import RoostRecords
  import RoostTestSupport
  import Testing

  @testable import RoostTool

  /// The output of `schema` is Swift.
  @Suite struct SchemaTextTests {
    /// Compiles the text with the modules that were built for these tests. Returns the compiler's
    /// errors.
    private func complaints(_ text: String) throws -> String {
      let outcome = try CompilerCheck.types(["Models.swift": "import Foundation\nimport SwiftData\n\n" + text])
      if outcome.isGood { return "" }
      return outcome.text.isEmpty ? "the compiler failed" : outcome.text
    }

    /// Before the fix it named inverses on both sides, which is a circle for the compiler, and left
    /// out initializers.
    @Test func `the compiler accepts the models`() throws {
      let folder = try ScratchFolder()
      let path = folder.file("music.roost")
      _ = try RowsFixture.make(path)
      let text = Transcript.of("schema", path).output
      #expect(text.contains("@Model final class Track"))
      #expect(try complaints(text) == "", "\(text)")
      // The compiler really runs.
      #expect(try !complaints(text + "\nlet wrong: Int = \"\"\n").isEmpty)
    }

    @Test func `a compiler takes a class with subclasses`() throws {
      let folder = try ScratchFolder()
      let path = folder.file("zoo.roost")
      try ZooFixture.make(path)
      let text = Transcript.of("schema", path).output
      #expect(try complaints(text) == "", "\(text)")
      for line in [
        "@Model class ZooAnimal {", "  @Attribute(.unique) var name: String", "class ZooDog: ZooAnimal {",
        "  var tricks: Int\n", "  var note: String?", "  var keeper: ZooKeeper\n", "ZooPuppy: Zoo",
        "  var weeks: Int\n",
        "@Model final class ZooCat: ZooAnimal {", "@Relationship(inverse: \\ZooDog.keeper) var dogs: [ZooDog] = []",
      ] {
        #expect(text.contains(line), "\(line) in \(text)")
      }
      #expect(!text.contains("/"), "\(text)")
      // The text opens the store: its models are those of the program.
      #expect(Transcript.of("schema", "--diff", path, path).output.isEmpty)
    }

    @Test func `a compiler takes constants of every type`() throws {
      var catalog = Catalog()
      try catalog.add(entity: "Item") { (entity) throws(RecordFault) in
        try entity.add("price", .decimal, initial: .decimal(DecimalNumber(15)))
        try entity.add("key", .uuid, initial: .uuid(UUIDNumber(high: 1, low: 2)))
        try entity.add("blob", .data)
        try entity.add("rank", .int64, isOptional: true)
        try entity.add("due", .date, isOptional: true)
        try entity.add("ratio", .float)
        try entity.add("labels", .dictionary(.plain(.string), .plain(.int64)))
        try entity.add("office", .presence, isOptional: true)
        try entity.add("office.city", .string, isOptional: true)
      }
      let item = try #require(catalog.entity("Item"))
      func field(_ name: String) throws -> FieldID { try #require(item.field(name)).id }
      func add(_ name: String, _ parts: [Index.Part], _ tests: [Index.Test]) throws {
        try catalog.add(index: name, of: "Item", parts: parts, tests: tests)
      }
      let (price, key, rank) = (try field("price"), try field("key"), try field("rank"))
      try add("a", [Index.Part(price)], [.compares(price, .greater, .decimal(DecimalNumber(-9)))])
      try add("b", [Index.Part(price)], [.equals(key, .uuid(UUIDNumber(high: 1, low: 2)))])
      try add("c", [Index.Part(price)], [.equals(try field("blob"), .data([1, 255]))])
      try add(
        "d", [Index.Part(rank)],
        [.any([.compares(rank, .lessOrEqual, .int(4)), .isNull(rank)]), .compares(rank, .notEqual, .int(2))])
      try add("e", [Index.Part(rank)], [.compares(try field("due"), .less, .date(12.5))])
      try add("f", [Index.Part(rank)], [.compares(try field("ratio"), .less, .float(.infinity))])
      try add("g", [Index.Part(try field("due"), form: .year), Index.Part(try field("labels"), form: .keys)], [])
      try add("h", [Index.Part(try field("office.city"), isDescending: true, form: .folded)], [])
      let text = SchemaText(catalog).lines.joined(separator: "\n")
      #expect(try complaints(text) == "", "\(text)")
      #expect(text.contains("where: { ($0.rank! <= 4 || $0.rank == nil) && $0.rank != 2 }"), "\(text)")
      #expect(text.contains("[.year(\\.due), .keys(\\.labels)], [.folded(\\.office?.city)]"), "\(text)")
      #expect(text.contains(#"$0.key == UUID(uuidString: "00000000-0000-0001-0000-000000000002")!"#), "\(text)")
    }

    @Test func `parked data is listed, and two stores are compared`() throws {
      let folder = try ScratchFolder()
      let (one, two) = (folder.file("one.roost"), folder.file("two.roost"))
      for path in [one, two] { _ = try RowsFixture.make(path) }
      #expect(Transcript.of("schema", "--diff", one, two).output.isEmpty)
      let store = try RecordStore(two)
      try store.write { writer in
        try writer.change { catalog in
          try catalog.change(entity: "Track") { (entity) throws(RecordFault) in
            try entity.add("mood", .string, isOptional: true)
          }
          catalog.version = ModelVersion(
            "2.0.0", parts: [ModelVersion.Part("Track", fingerprint: 1, digest: 7, parked: ["mood"])],
            parked: ["Artist"])
        }
      }
      try store.close()
      let difference = Transcript.of("schema", "--diff", one, two)
      #expect(difference.output == "Track\n  + mood: string?\n" && difference.ending == .failed)
      let text = Transcript.of("schema", two).output
      #expect(text.contains("Parked, because version 2.0.0") && text.contains("//   Track.mood"))
      #expect(try complaints(text) == "", "\(text)")
    }

    @Test func `default values and names of every kind are written in Swift`() throws {
      var catalog = Catalog()
      let parent = try catalog.add(entity: "Parent") { (entity) throws(RecordFault) in
        try entity.add("default", .string, initial: .string("a \"b\" \\ \n c"))
        try entity.add("ratio", .double, initial: .double(.infinity))
        try entity.add("when", .date, initial: .date(5))
        try entity.add("site", .url, initial: .url("https://example.org"))
        try entity.add("data", .data)
        try entity.add("set", .set(.plain(.int64)), initial: .set([]))
        try entity.add("lines", .array(.structure([.init("text", .plain(.string)), .init("in", .plain(.int64))])))
        try entity.add("place.where.city", .string)
        try entity.add("place.note", .string, isOptional: true)
      }
      try catalog.add(entity: "Child") { (entity) throws(RecordFault) in
        try entity.add("parent", .reference(parent), isOptional: true)
        try entity.add("other", .reference(parent), isOptional: true)
      }
      try catalog.add(
        reference: "parent", of: "Child", inverse: .init("children", deleteRule: .cascade, isOrdered: true))
      try catalog.add(reference: "other", of: "Child", inverse: .init("others"))
      try catalog.add(links: .init("friends", isOrdered: true), of: "Child", to: "Child", inverse: .init("admirers"))
      let text = SchemaText(catalog).lines.joined(separator: "\n")
      #expect(text.contains("var `default`: String = "), "\(text)")
      #expect(try complaints(text) == "", "\(text)")
    }
  }
#endif
