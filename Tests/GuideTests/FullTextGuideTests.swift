import Foundation
import SwiftData
import Testing

@Model final class Page {
  #FullText<Page>([\.title, \.body], .stemming(.english))
  var title: String
  var body: String?
  var year: Int

  init(_ title: String, _ body: String?, year: Int) {
    self.title = title
    self.body = body
    self.year = year
  }
}

@Model final class Part {
  #FullText<Part>([\.code], .substrings)
  var code: String

  init(_ code: String) { self.code = code }
}

@Suite struct FullTextGuideTests {
  private let context: ModelContext

  init() throws {
    context = ModelContext(
      try ModelContainer(for: Page.self, Part.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    context.insert(Page("Heroes", "recorded beside the Berlin Wall", year: 1987))
    context.insert(Page("Berlin wall", "It fell in the night", year: 1989))
    context.insert(Page("Walls", nil, year: 1990))
    context.insert(Page("The Berlin Wall is built", nil, year: 1961))
    for number in 0..<500 { context.insert(Part("\(number)-\(number % 3 == 0 ? "X" : "Y")")) }
    try context.save()
  }

  @Test func `a condition`() throws {
    let recent = #Predicate<Page> { $0.matches("\"berlin wall\" OR heroes") && $0.year > 1980 }
    let pages = try context.fetch(FetchDescriptor(predicate: recent, sortBy: [SortDescriptor(\.year)]))
    #expect(pages.map(\.year) == [1987, 1989])
    #expect(pages.allSatisfy { $0.matches("wall") })
  }

  @Test func `the best matches first`() throws {
    let best = try context.search(
      Page.self, for: "berlin wall", where: #Predicate { $0.year > 1980 }, weights: [\.title: 4], limit: 10)
    for found in best {
      print(found.score, found.model.title, found.snippet(of: \.body, words: 12).marked("*", "*"))
    }
    #expect(best.map(\.model.year) == [1989, 1987])
    #expect(best[1].snippet(of: \.body, words: 12).marked("*", "*").contains("*Berlin* *Wall*"))
  }

  @Test func `what a person types`() throws {
    var titles: [String] = []
    let typed = "berl \"wal"
    if !SearchInput.isEmpty(typed) {
      let found = try context.search(Page.self, for: SearchInput.prefixes(of: typed), limit: 20)
      titles = found.map(\.model.title)
    }
    #expect(Set(titles) == ["Heroes", "Berlin wall", "The Berlin Wall is built"])
  }

  @Test func `parts of words`() throws {
    let parts = try context.fetch(FetchDescriptor<Part>(predicate: #Predicate { $0.code.contains("42-X") }))
    #expect(parts.map(\.code) == ["42-X", "342-X"])
  }
}
