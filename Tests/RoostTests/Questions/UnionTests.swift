import Foundation
import SwiftData
import Testing

/// Rows of several classes together, compared with arrays.
@Suite struct UnionTests {
  private func filled() throws -> ModelContext {
    let context = ModelContext(
      try ModelContainer(
        for: Label.self, Disc.self, Cut.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    for (number, name) in ["a", "é", "c"].enumerated() {
      context.insert(Label(name, spot: Site(city: "x", zip: Zip(code: number, area: nil), open: true)))
    }
    for (number, title) in ["c", "e\u{301}", "c", "d", "d"].enumerated() {
      let disc = Disc(title, number: number)
      disc.length = number > 2 ? .nan : 0
      context.insert(disc)
    }
    try context.save()
    return ModelContext(context.container)
  }

  private let names: Selected<String> = .rows(Label.self, \.name, sortBy: [SortDescriptor(\.spot.zip.code)])
  private let titles: Selected<String> = .rows(Disc.self, \.title, sortBy: [SortDescriptor(\.number)])

  @Test func `equal rows of two classes are returned once, or each time`() throws {
    let context = try filled()
    #expect(try context.union(names, titles) == ["a", "é", "c", "d"])
    #expect(try context.union(names, titles, all: true) == ["a", "é", "c", "c", "é", "c", "d", "d"])
    #expect(try context.union(titles) == ["c", "é", "d"])
    #expect(try context.union(names, titles, offset: 1, limit: 2) == ["é", "c"])
    #expect(try context.union(names, titles, titles, all: true, limit: 0).isEmpty)
    #expect(try context.intersect(titles, names) == ["c", "é"])
    #expect(try context.intersect(titles, names, all: true) == ["c", "é"])
    #expect(try context.intersect(titles, titles, all: true).count == 5)
    #expect(try context.except(titles, names) == ["d"] && context.except(names, titles) == ["a"])
    #expect(try context.except(titles, names, all: true) == ["c", "d", "d"])
    #expect(context.statistics.modelsFetched == 0)
    #expect(throws: RoostError.self) { try context.union(names, titles, limit: -1) }
  }

  @Test func `rows of several values are compared completely`() throws {
    let context = try filled()
    let discs: Selected<(String, Double)> = .rows(
      Disc.self, \.title, \.length, where: #Predicate { $0.number > 0 }, sortBy: [SortDescriptor(\.number)])
    let labels: Selected<(String, Double)> = .rows(Label.self, \.name, \.rating, sortBy: [SortDescriptor(\.name)])
    let all = try context.union(discs, labels)
    #expect(all.map(\.0) == ["é", "c", "d", "a"] && all.map { $0.1.isNaN } == [false, false, true, false])
    #expect(try context.intersect(discs, labels).map(\.0) == ["é", "c"])
    #expect(try context.except(discs, labels).map(\.0) == ["d"])
  }

  @Test func `unsaved models are rows too, and explain describes each side`() throws {
    let context = try filled()
    context.insert(Disc("new", number: 9))
    #expect(try context.except(titles, names) == ["d", "new"])
    let told = try context.explain { try $0.union(names, titles) }
    #expect(told.selected == ["name"] && told.others.map(\.selected) == [["title"]] && !told.makesModels)
  }
}
