import Foundation
import SwiftData
import Testing

/// The models of a store before and after `#FullText` was declared, changed and removed.
private enum Plain {
  @Model final class Poem {
    var title: String
    var text: String?
    init(_ title: String, _ text: String?) { (self.title, self.text) = (title, text) }
  }
}

private enum Searched {
  @Model final class Poem {
    #FullText<Poem>([\.title, \.text])
    var title: String
    var text: String?
    init(_ title: String, _ text: String?) { (self.title, self.text) = (title, text) }
  }
}

private enum Stemmed {
  @Model final class Poem {
    #FullText<Poem>([\.headline], .stemming(.english))
    @Attribute(originalName: "title") var headline: String
    var text: String?
    init(_ headline: String, _ text: String?) { (self.headline, self.text) = (headline, text) }
  }
}

private enum Unsearched {
  @Model final class Poem {
    var headline: String
    var text: String?
    init(_ headline: String, _ text: String?) { (self.headline, self.text) = (headline, text) }
  }
}

private enum Wrong {
  @Model final class Poem {
    #FullText<Poem>([\.title, \.lines])
    var title: String
    var lines: Int
    init(_ title: String, _ lines: Int) { (self.title, self.lines) = (title, lines) }
  }
}

@Suite struct FullTextChangeTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func open<Model: PersistentModel>(_ model: Model.Type, allowsSave: Bool = true) throws -> ModelContext {
    try ModelContext(
      ModelContainer(for: model, configurations: ModelConfiguration(url: folder.file(), allowsSave: allowsSave)))
  }

  @Test func `the index follows its declaration`() throws {
    var context: ModelContext? = try open(Plain.Poem.self)
    for number in 0..<300 { context?.insert(Plain.Poem("poem \(number)", number % 3 == 0 ? "walls run" : nil)) }
    try context?.save()
    // Without an index the program searches all models, and the error says that none is declared.
    #expect(throws: SwiftDataError.self) {
      try context?.fetchCount(FetchDescriptor<Plain.Poem>(predicate: #Predicate { $0.matches("walls") }))
    }
    try context?.container.close()
    context = nil

    // A store that is only read has no index yet. The models are searched in memory.
    let reading = try open(Searched.Poem.self, allowsSave: false)
    let walls = FetchDescriptor<Searched.Poem>(predicate: #Predicate { $0.matches("walls") })
    #expect(try reading.fetchCount(walls) == 100)
    #expect(throws: RoostError.self) { try reading.search(Searched.Poem.self, for: "walls") }
    try reading.container.close()

    var searched: ModelContext? = try open(Searched.Poem.self)
    #expect(try searched?.fetchCount(walls) == 100)
    let seventh = FetchDescriptor<Searched.Poem>(predicate: #Predicate { $0.matches("title:7") })
    #expect(try searched.map { "\(try $0.explain(seventh))".contains("full text index") } == true)
    #expect(try searched?.search(Searched.Poem.self, for: "title:7").map(\.model.title) == ["poem 7"])
    searched?.insert(Searched.Poem("walls", nil))
    try searched?.save()
    #expect(try searched?.fetchCount(walls) == 101)
    try searched?.container.close()
    searched = nil

    var stemmed: ModelContext? = try open(Stemmed.Poem.self)
    let wall = FetchDescriptor<Stemmed.Poem>(predicate: #Predicate { $0.matches("headline:wall") })
    #expect(try stemmed?.fetch(wall).map(\.headline) == ["walls"])
    #expect(try stemmed?.fetchCount(FetchDescriptor<Stemmed.Poem>(predicate: #Predicate { $0.matches("run") })) == 0)
    try stemmed?.container.close()
    stemmed = nil

    let last = try open(Unsearched.Poem.self)
    #expect(try last.fetchCount(FetchDescriptor<Unsearched.Poem>()) == 301)
    #expect(try last.container.verify().findings.isEmpty)
  }

  @Test func `a property that is no text is refused by name`() throws {
    let error = #expect(throws: (any Error).self) { try open(Wrong.Poem.self) }
    #expect(error.map { "\($0)".contains("\\.lines, which is Int") } == true)
  }
}
