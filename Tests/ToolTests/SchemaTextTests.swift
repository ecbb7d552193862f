#if os(Linux)
  import Foundation
  import RoostRecords
  import RoostTestSupport
  import Testing

  @testable import RoostTool

  /// What `schema` prints is Swift.
  @Suite struct SchemaTextTests {
    /// Has the compiler check the text, against the modules that were built for these tests.
    private func complaints(_ text: String) throws -> String {
      let folder = try ScratchFolder()
      let file = URL(filePath: folder.file("Models.swift"))
      try Data(("import Foundation\nimport SwiftData\n\n" + text).utf8).write(to: file)
      let products = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path()
      let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized.path()
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = [
        "swiftc", "-typecheck", "-swift-version", "6", "-I", products + "Modules", "-I", root + "Sources/CLZ4",
        "-Xcc", "-fmodule-map-file=\(products)CRetain.build/module.modulemap",
        "-load-plugin-executable", products + "RoostMacros-tool#RoostMacros", "-warnings-as-errors", file.path(),
      ]
      let pipe = Pipe()
      (process.standardOutput, process.standardError) = (pipe, pipe)
      try process.run()
      let said = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
      process.waitUntilExit()
      if process.terminationStatus == 0 { return "" }
      return said.isEmpty ? "status \(process.terminationStatus)" : said
    }

    /// It named inverses on both sides, where the compiler goes round in a circle, and left out initializers.
    @Test func `a compiler takes the models`() throws {
      let folder = try ScratchFolder()
      let path = folder.file("music.roost")
      _ = try RowsFixture.make(path)
      let text = Transcript.of("schema", path).output
      #expect(text.contains("@Model final class Track"))
      #expect(try complaints(text) == "", "\(text)")
      // The compiler is asked indeed.
      #expect(try !complaints(text + "\nlet wrong: Int = \"\"\n").isEmpty)
    }

    @Test func `values that stand before and names of every kind are written as Swift has them`() throws {
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
