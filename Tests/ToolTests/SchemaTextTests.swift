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
