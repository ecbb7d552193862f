import Foundation
import RoostImport
import SwiftData
import Testing

@Model final class Magazine {
  @Attribute(.unique) var name: String
  @Relationship(deleteRule: .cascade, inverse: \Essay.magazine) var essays: [Essay] = []
  @Derived(.count(\Magazine.essays)) var essayCount: Int

  init(_ name: String) { self.name = name }
}

@Model final class Essay {
  #FullText<Essay>([\.title, \.text])
  @Validate(.notEmpty) var title: String
  var text = ""
  var words = 0
  var magazine: Magazine?

  init(_ title: String, words: Int = 0, text: String = "") {
    self.title = title
    self.words = words
    self.text = text
  }
}

/// The code of the guide to additions to SwiftData.
@Suite(.timeLimit(.minutes(30))) struct BeyondSwiftDataGuideTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    configuration.history = .full
    container = try ModelContainer(for: Magazine.self, configurations: configuration)
    context = ModelContext(container)
    let wave = Magazine("Wave")
    wave.essays = [
      Essay("Tides", words: 900, text: "The sea rises twice a day."), Essay("Ports", words: 300, text: "Ships wait."),
    ]
    context.insert(wave)
    try context.save()
  }

  @Test func `questions`() throws {
    let long = FetchDescriptor<Essay>(predicate: #Predicate { $0.words > 500 })

    let groups = try context.aggregate(Essay.self, .count, .sum(\.words), by: \.magazine?.name)
    let rows = try context.select(Essay.self, \.title, \.magazine?.name)
    let hits = try context.search(Essay.self, for: "sea", limit: 10)
    print(try context.explain(long))

    #expect(groups.map(\.key) == ["Wave"] && groups[0].values.1 == 1200)
    #expect(rows.count == 2 && rows[0].0 == "Tides" && rows[0].1 == "Wave")
    #expect(hits.map(\.model.title) == ["Tides"])
    #expect(try context.fetchCount(long) == 1)
  }

  @Test func `writes`() async throws {
    try context.update(model: Essay.self, where: #Predicate { $0.words < 500 }) { $0.words += 10 }
    try context.insert(batch: ["Sand", "Salt"].lazy.map { Essay($0) })
    try await container.write { context in
      let magazine = try context.first(Magazine.self, where: \.name, is: "Wave")
      magazine?.essays.append(Essay("Wind"))
    }
    try context.deleteAll(model: Essay.self, where: #Predicate { $0.words == 0 })

    let titles = try context.fetch(FetchDescriptor<Essay>(sortBy: [SortDescriptor(\.title)])).map(\.title)
    #expect(titles == ["Ports", "Tides"])
    #expect(try context.fetch(FetchDescriptor<Magazine>()).map(\.essayCount) == [2])
    context.insert(Essay(" "))
    let error = #expect(throws: RoostError.self) { try context.save() }
    #expect(error?.code == .invalid)
  }

  @Test func `values, results and the past`() async throws {
    let long = FetchDescriptor<Essay>(predicate: #Predicate { $0.words > 500 })

    let values = try container.fetchSnapshots(long)
    let now = try container.snapshot()
    var changes = container.changes(of: long).makeAsyncIterator()
    let token = try container.latestHistoryToken

    let essay = try #require(try context.fetch(long).first)
    essay.words = 100
    try context.save()
    #expect(values.map { $0[\.words] } == [900])
    #expect(try now.fetchCount(long) == 1)
    let past = try container.snapshot(at: token)
    #expect(try past.fetchCount(long) == 1 && context.fetchCount(long) == 0)
    #expect(try await changes.next()?.results.isEmpty == true)
  }
}
