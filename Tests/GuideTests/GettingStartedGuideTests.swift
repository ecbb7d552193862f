import Foundation
import SwiftData
import Testing

@Model final class Writer {
  @Attribute(.unique) var name: String
  @Relationship(deleteRule: .cascade, inverse: \Novel.writer) var novels: [Novel] = []

  init(name: String) { self.name = name }
}

@Model final class Novel {
  #Index<Novel>([\.year])
  var title: String
  var year: Int
  var isRead = false
  var writer: Writer?

  init(_ title: String, _ year: Int) {
    self.title = title
    self.year = year
  }
}

@Suite struct GettingStartedGuideTests {
  private let file = FileManager.default.temporaryDirectory.appending(path: "guide-\(UUID().uuidString)/a.roost")

  @Test func `the steps are taken one after the other`() throws {
    defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
    let container = try ModelContainer(for: Writer.self, configurations: ModelConfiguration(url: file))
    let context = ModelContext(container)

    let writer = Writer(name: "Tove Jansson")
    writer.novels = [Novel("The Summer Book", 1972), Novel("The True Deceiver", 1982)]
    context.insert(writer)
    try context.save()
    #expect(writer.novels.allSatisfy { $0.writer === writer })

    var lines: [String] = []
    func print(_ words: String...) { lines.append(words.joined(separator: " ")) }
    func print(_ explanation: FetchExplanation) { lines.append("\(explanation)") }
    let seventies = #Predicate<Novel> { $0.year >= 1970 && $0.year < 1980 && !$0.isRead }
    for novel in try context.fetch(FetchDescriptor(predicate: seventies, sortBy: [SortDescriptor(\.title)])) {
      print(novel.title, "by", novel.writer?.name ?? "nobody")
    }
    #expect(lines == ["The Summer Book by Tove Jansson"])

    let explanation = try context.explain(FetchDescriptor(predicate: seventies))
    print(explanation)
    #expect(explanation.found == 1 && lines.count == 2)
    #expect(try PageCommands.page("GettingStarted").contains(lines.joined(separator: "\n") + "\n```"))

    writer.novels[0].isRead = true
    try context.save()

    context.delete(writer)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Novel>()) == 0)

    do {
      try context.save()
    } catch let error as RoostError where error.code == .store {
      print("the save failed, the changes are still in the context: \(error)")
    }
    #expect(lines.count == 2)

    try container.close()
    let files = try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path)
    #expect(files == [file.lastPathComponent])
  }

  @Test func `a further run joins the novels of the writer`() throws {
    defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
    var unread: [Int] = []
    for _ in 0..<3 {
      let container = try ModelContainer(for: Writer.self, configurations: ModelConfiguration(url: file))
      let context = ModelContext(container)
      let writer = Writer(name: "Tove Jansson")
      writer.novels = [Novel("The Summer Book", 1972), Novel("The True Deceiver", 1982)]
      context.insert(writer)
      try context.save()
      let seventies = #Predicate<Novel> { $0.year >= 1970 && $0.year < 1980 && !$0.isRead }
      unread.append(try context.fetchCount(FetchDescriptor(predicate: seventies)))
      writer.novels[0].isRead = true
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<Writer>()) == 1)
      try container.close()
    }
    // The second to the fourth run of the page.
    #expect(unread == [1, 1, 2])
  }
}
