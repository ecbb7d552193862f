import Foundation
import Roost
import RoostTestSupport
import Testing

@testable import RoostTool

@Model private final class Leaflet {
  #FullText<Leaflet>([\.title, \.text], .stemming(.english), .caseSensitive)
  #FullText<Leaflet>([\.title], .substrings)
  var title: String
  var text: String?
  init(_ title: String, _ text: String?) { (self.title, self.text) = (title, text) }
}

/// The tool on a store with full text indexes.
@Suite struct FullTextCommandTests {
  private let folder: ScratchFolder
  private let path: String

  init() throws {
    folder = try ScratchFolder()
    path = folder.file("leaflets.roost")
    let container = try ModelContainer(
      for: Leaflet.self, configurations: ModelConfiguration(url: URL(filePath: path)))
    let context = ModelContext(container)
    for number in 0..<300 { context.insert(Leaflet("leaflet \(number)", number % 100 == 0 ? "the Wall runs" : nil)) }
    try context.save()
    try container.close()
  }

  @Test func `query finds words`() throws {
    let found = Transcript.of(
      "query", path, "Leaflet", "matches(\"Wall run\") && title != \"leaflet 0\"", "--columns", "title")
    #expect(found.output.contains("leaflet 100") && found.output.contains("leaflet 200"), "\(found)")
    #expect(!found.output.contains("leaflet 0\n"))
    let plan = Transcript.of("explain", path, "Leaflet", "matches(\"Wall\")")
    #expect(plan.output.contains("full text index words of Leaflet"), "\(plan)")
    let bad = Transcript.of("query", path, "Leaflet", "matches(\"(Wall\")")
    #expect(bad.ending != .good && bad.errors.contains("parenthesis"), "\(bad)")
  }

  @Test func `schema declares the indexes, and verify checks them`() throws {
    let schema = Transcript.of("schema", path)
    #expect(schema.output.contains("#FullText<Leaflet>([\\.title, \\.text], .stemming(.english), .caseSensitive)"))
    #expect(schema.output.contains("#FullText<Leaflet>([\\.title], .substrings)"), "\(schema)")
    #expect(Transcript.of("schema", path, "--json").output.contains("\".substrings\""))
    #expect(Transcript.of("verify", path).ending == .good)
    let copy = folder.file("copy.roost")
    #expect(Transcript.of("backup", path, copy).ending == .good)
    #expect(Transcript.of("query", copy, "Leaflet", "matches(\"Wall\")", "--count").output.contains("3"))
  }
}
