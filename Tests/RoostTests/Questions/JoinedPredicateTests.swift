import SwiftData
import Testing

/// Several predicates joined to one.
@Suite struct JoinedPredicateTests {
  private func filled() throws -> ModelContext {
    let context = ModelContext(try makeContainer())
    for year in 0..<100 {
      context.insert(Album("\(year)", year: year, price: Double(year % 10), tags: ["\(year % 3)"]))
    }
    try context.save()
    return context
  }

  private func years(_ context: ModelContext, _ predicate: Predicate<Album>) throws -> [Int] {
    let found = try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.year)])).map(\.year)
    let all = try context.fetch(FetchDescriptor<Album>(sortBy: [SortDescriptor(\.year)]))
    #expect(try found == all.filter { try predicate.evaluate($0) }.map(\.year))
    #expect(try context.fetchCount(FetchDescriptor(predicate: predicate)) == found.count)
    return found
  }

  @Test func `several predicates are joined`() throws {
    let context = try filled()
    let low = #Predicate<Album> { $0.year < 20 }
    let cheap = #Predicate<Album> { $0.price == 3 }
    let tagged = #Predicate<Album> { $0.tags.contains("1") }
    #expect(try years(context, Predicate(all: [low, cheap])) == [3, 13])
    #expect(try years(context, Predicate(all: [low, cheap, tagged])) == [13])
    #expect(
      try years(context, Predicate(any: [Predicate(all: [low, cheap]), #Predicate { $0.year == 99 }])) == [3, 13, 99])
    #expect(try years(context, Predicate(all: [Predicate(any: [low, cheap]), tagged, low])).count == 7)
    #expect(try years(context, Predicate(all: [low])).count == 20)
    #expect(try years(context, Predicate(all: [])).count == 100)
    #expect(try years(context, Predicate(any: [])).isEmpty)
    #expect(try years(context, Predicate(all: [low, low, cheap])) == [3, 13])
  }

  @Test func `thousands of predicates are joined, and described in few words`() throws {
    let context = try filled()
    let some = (0..<5000).map { year in #Predicate<Album> { $0.year == year && $0.price >= 0 } }
    #expect(try years(context, Predicate(any: some)).count == 100)
    #expect(try years(context, Predicate(all: [Predicate(any: some), some[7]])) == [7])
    #expect(try years(context, Predicate(all: some)).isEmpty)
    let computed = (0..<5000).map { decade in #Predicate<Album> { $0.decade == decade } }
    let told = try context.explain(FetchDescriptor(predicate: Predicate(any: computed)))
    #expect(told.found == 100 && told.testedInMemory.count == 1)
    #expect(told.testedInMemory.first.map { $0.count < 2000 && $0.contains("…") } == true)
  }

  @Test func `an index is used as for one predicate, computed values are tested in memory`() throws {
    let context = try filled()
    let decade = #Predicate<Album> { $0.decade == 1 }
    let joined = Predicate(all: [#Predicate<Album> { $0.year == 13 }, decade])
    #expect(try years(context, joined) == [13])
    let plan = try context.explain(FetchDescriptor(predicate: joined)).description
    #expect(plan.contains("test in memory"))
    let book = TraceBook()
    let traced = ModelContext(try ModelContainer(for: Artist.self, configurations: book.configuration()))
    for year in 0..<100 { traced.insert(Album("\(year)", year: year)) }
    try traced.save()
    _ = try ModelContext(traced.container).fetch(FetchDescriptor(predicate: joined))
    #expect(book.of(.fetch).last?.rowsRead == 1)
  }
}
