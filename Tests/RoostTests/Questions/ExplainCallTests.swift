import Foundation
import SwiftData
import Testing

/// The output of `explain(call:)` for selections, joins, windows and groups.
@Suite struct ExplainCallTests {
  private func filled() throws -> ModelContext {
    let context = ModelContext(
      try ModelContainer(
        for: Label.self, Disc.self, Cut.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    for number in 0..<50 { context.insert(Disc("t\(number % 5)", number: number)) }
    for number in 0..<3 {
      context.insert(Label("t\(number)", spot: Site(city: "c", zip: Zip(code: number, area: nil), open: true)))
    }
    try context.save()
    return ModelContext(context.container)
  }

  @Test func `a selection names its fields and reads an index`() throws {
    let context = try filled()
    let told = try context.explain {
      try $0.select(Disc.self, \.title, \.label?.name, \.title, where: #Predicate { $0.number > 40 })
    }
    #expect(told.selected == ["title", "label.name"] && !told.makesModels && told.found == 9 && told.rowsRead == 9)
    #expect(told.indexes.count == 1 && told.joining == .none && told.grouping == .none && told.others.isEmpty)
    let text = told.description
    #expect(text.contains("reads title, label.name") && text.contains("no models are made"))
    #expect(context.statistics.modelsFetched == 0)
  }

  @Test func `a computed property makes models`() throws {
    let context = try filled()
    let told = try context.explain { try $0.select(Disc.self, \.number, \.shout) }
    #expect(told.makesModels && told.description.contains("models are made, because rows do not have"))
    context.insert(Disc("new", number: 100))
    let changed = try context.explain { try $0.select(Disc.self, \.number) }
    #expect(!changed.makesModels && changed.found == 51 && changed.putIn == 1)
  }

  @Test func `a join explains how each side is read`() throws {
    let context = try filled()
    let order = [SortDescriptor(\Disc.number)]
    let table = try context.explain {
      try $0.select(
        Disc.self, \.number, joining: .left(Label.self, on: .equal(\.title, \.name), select: \.rating), sortBy: order)
    }
    #expect(table.sorting == .index && table.others.count == 1 && table.found == 50)
    let other = try #require(table.others.first)
    #expect(other.joining == .table && other.selected == ["name", "rating"] && other.rowsRead == 3)
    #expect(table.description.contains("joined by a table of equal values:\n    Label: 3 rows found"))
    let lookup = try context.explain {
      try $0.select(
        Label.self, \.rating, joining: .inner(Disc.self, on: .equal(\.spot.zip.code, \.number), select: \.title))
    }
    #expect(lookup.others.map(\.joining) == [.lookup] && lookup.others.first?.rowsRead == 3)
    #expect(lookup.others.first?.indexes.count == 1)
    let matching = try context.explain {
      try $0.select(Disc.self, \.number, matching: [.none(Label.self, on: .notEqual(\.title, \.name))])
    }
    #expect(matching.others.map(\.joining) == [.loop] && matching.description.contains("comparing each with each"))
  }

  @Test func `a window names its partition keys`() throws {
    let told = try filled().explain {
      try $0.select(
        Disc.self, \.number, over: .rank(per: \.title), sortBy: [SortDescriptor(\.number, order: .reverse)])
    }
    #expect(told.description.contains("computes the window row by row, again for each title"))
    #expect(told.selected == ["title", "number"])
  }

  @Test func `groups explain how they are found`() throws {
    let context = try filled()
    let groups = try context.explain {
      try $0.aggregate(Disc.self, where: #Predicate { $0.number < 30 }, .count, .sum(\.number), by: \.title)
    }
    #expect(groups.grouping == .rows && groups.rowsRead == 50 && groups.selected == ["title", "number"])
    #expect(groups.description.contains("gathers in a table of 5 groups") && !groups.makesModels)
    let memory = try context.explain { try $0.aggregate(Disc.self, .countDistinct(\.title), by: \.isNew) }
    #expect(memory.grouping == .memory && memory.description.contains("gathers values row by row, into 1 group"))
    let largest = try context.explain { try $0.maximum(of: \Disc.number) }
    #expect(largest.description.contains("number"), "\(largest)")
    let count = try context.explain { try $0.aggregate(Disc.self, .count) }
    #expect(count.grouping == .indexes && count.rowsRead == 0 && !count.makesModels)
    let distinct = try context.explain { try $0.selectDistinct(Disc.self, \.title) }
    #expect(distinct.grouping == .rows && distinct.selected == ["title"])
    let computed = try context.explain { try $0.aggregate(Disc.self, .count, by: \.shout) }
    #expect(computed.grouping == .memory && computed.makesModels)
  }

  @Test func `one call is explained at a time`() throws {
    let context = try filled()
    for calls in [0, 2] {
      let error = #expect(throws: RoostError.self) {
        try context.explain { for _ in 0..<calls { _ = try $0.select(Disc.self, \.number) } }
      }
      #expect(error?.code == .badValue && error?.description.contains("saw \(calls) selections") == true)
    }
    #expect(throws: RoostError.self) {
      try context.explain { try $0.explain { try $0.select(Disc.self, \.number) } }
    }
    #expect(throws: RoostError.self) {
      try context.explain { try $0.select(Disc.self, \.number, offset: -1) }
    }
    // A failed call does not affect the next one.
    let told = try context.explain { context in
      _ = try? context.select(Disc.self, \.number, joining: .inner(Label.self, select: \.name))
      return try context.select(Disc.self, \.number)
    }
    #expect(told.others.isEmpty && told.selected == ["number"])
  }
}
