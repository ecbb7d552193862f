import Foundation
import Roost
import RoostTestSupport
import Testing

/// Indexes with conditions and forms, as models declare them.
@Suite struct DefinedIndexTests {
  private static func filled(_ count: Int = 400) throws -> ModelContext {
    let container = try ModelContainer(
      for: Errand.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    for number in 0..<count {
      let errand = Errand(number, list: "list \(number % 7)")
      errand.isDone = number % 10 != 0
      errand.state = ErrandState.allCases[number % 3]
      errand.rank = number % 100
      errand.due = number % 4 == 0 ? nil : Date(timeIntervalSinceReferenceDate: Double(number))
      errand.title = (number % 2 == 0 ? "TITLE " : "title ") + "\(number % 20)"
      errand.note = number % 5 == 0 ? "Nöte \(number % 9)" : nil
      errand.tags =
        number % 3 == 0
        ? ["a", "b\(number % 40)", "a"] : number % 50 == 7 ? [] : number % 50 == 8 ? ["c", "d"] : ["c"]
      errand.codes = number % 6 == 0 ? [number % 30, 7] : nil
      context.insert(errand)
    }
    try context.save()
    return context
  }

  /// Compares a fetch with a test of every object.
  private static func check(
    _ context: ModelContext, _ predicate: Predicate<Errand>, uses index: String?, _ line: Int = #line
  ) throws {
    let descriptor = FetchDescriptor<Errand>(predicate: predicate)
    let found = try context.fetch(descriptor).map(\.persistentModelID)
    let wanted = try context.fetch(FetchDescriptor<Errand>()).filter { try predicate.evaluate($0) }
    #expect(Set(found) == Set(wanted.map(\.persistentModelID)), "line \(line)")
    #expect(found.count == wanted.count, "line \(line)")
    #expect(try context.fetchCount(descriptor) == wanted.count, "line \(line)")
    let explanation = try context.explain(descriptor)
    if let index {
      #expect(explanation.indexes.contains { $0.contains(index) }, "line \(line): \(explanation)")
      #expect(explanation.rowsRead < 200, "line \(line): \(explanation)")
    } else {
      #expect(explanation.indexes.isEmpty, "line \(line): \(explanation)")
    }
  }

  @Test func `a partial index is used for predicates that imply its condition`() throws {
    let context = try Self.filled()
    let day = Date(timeIntervalSinceReferenceDate: 200)
    try Self.check(
      context, #Predicate { !$0.isDone && $0.due != nil && $0.due! < day }, uses: "due where isDone == false")
    try Self.check(context, #Predicate { $0.isDone == false && $0.list == "list 3" }, uses: "list, due where")
    try Self.check(context, #Predicate { $0.due != nil && $0.due! < day }, uses: nil)
    try Self.check(context, #Predicate { $0.rank == 20 }, uses: "rank where")
    try Self.check(context, #Predicate { $0.rank > 20 && $0.rank <= 24 }, uses: "rank where")
    try Self.check(context, #Predicate { $0.rank > 20 && $0.rank <= 50 }, uses: "rank, number")
    try Self.check(context, #Predicate { $0.rank == 60 }, uses: "rank, number")
    try Self.check(context, #Predicate { $0.note != nil && $0.title == "TITLE 10" }, uses: "title where")
    try Self.check(context, #Predicate { $0.note == "Nöte 5" && $0.title == "TITLE 10" }, uses: "where")
  }

  @Test func `a partial index gives the order of its rows`() throws {
    let context = try Self.filled()
    var descriptor = FetchDescriptor<Errand>(predicate: #Predicate { !$0.isDone }, sortBy: [SortDescriptor(\.due)])
    descriptor.fetchLimit = 5
    let explanation = try context.explain(descriptor)
    #expect(explanation.sorting == .index && explanation.rowsRead <= 5, "\(explanation)")
    let open = try context.fetch(FetchDescriptor<Errand>()).filter { !$0.isDone }
    let wanted = open.map(\.due).sorted { ($0 ?? .distantPast) < ($1 ?? .distantPast) }
    #expect(try context.fetch(descriptor).map(\.due) == Array(wanted.prefix(5)))
  }

  @Test func `an order with both directions uses an index with a descending part`() throws {
    let context = try Self.filled()
    let descriptor = FetchDescriptor<Errand>(sortBy: [
      SortDescriptor(\.rank), SortDescriptor(\.number, order: .reverse),
    ])
    var first = descriptor
    first.fetchLimit = 20
    let explanation = try context.explain(first)
    #expect(explanation.sorting == .index && explanation.rowsRead <= 20, "\(explanation)")
    let all = try context.fetch(FetchDescriptor<Errand>()).sorted { ($0.rank, $1.number) < ($1.rank, $0.number) }
    #expect(try context.fetch(first).map(\.number) == all.prefix(20).map(\.number))
  }

  @Test func `lowercased texts are found by an index`() throws {
    let context = try Self.filled()
    try Self.check(context, #Predicate { $0.title.lowercased() == "title 12" }, uses: "lowercased of title")
    try Self.check(context, #Predicate { $0.title.lowercased().starts(with: "title 19") }, uses: "lowercased of title")
    try Self.check(context, #Predicate { $0.note?.lowercased() == "nöte 5" }, uses: "lowercased of note")
    try Self.check(context, #Predicate { $0.title == "title 12" }, uses: nil)
    try Self.check(context, #Predicate { $0.title.uppercased() == "TITLE 12" }, uses: nil)
  }

  @Test func `elements of collections are found by an index`() throws {
    let context = try Self.filled()
    try Self.check(context, #Predicate { $0.tags.contains("b6") }, uses: "elements of tags")
    try Self.check(context, #Predicate { $0.tags.contains("b6") && $0.tags.contains("a") }, uses: "elements of tags")
    try Self.check(context, #Predicate { $0.tags.contains { $0 == "b6" } }, uses: "elements of tags")
    try Self.check(context, #Predicate { $0.tags.contains("b6") || $0.tags.contains("b9") }, uses: "elements of tags")
    try Self.check(context, #Predicate { $0.codes?.contains(12) == true }, uses: "elements of codes")
    try Self.check(context, #Predicate { $0.codes?.contains(12) ?? false }, uses: "elements of codes")
    try Self.check(context, #Predicate { !$0.tags.contains("b6") }, uses: nil)
    try Self.check(context, #Predicate { $0.tags.count == 2 }, uses: "count of tags")
    try Self.check(context, #Predicate { $0.tags.isEmpty }, uses: "count of tags")
    let sorted = FetchDescriptor<Errand>(
      predicate: #Predicate { $0.list == "list 3" && $0.tags.contains("a") }, sortBy: [SortDescriptor(\.rank)])
    #expect(try context.explain(sorted).sorting == .index)
    let wanted = try context.fetch(FetchDescriptor<Errand>()).filter { $0.list == "list 3" && $0.tags.contains("a") }
    #expect(try context.fetch(sorted).map(\.rank) == wanted.map(\.rank).sorted())
  }

  @Test func `rows are added to and removed from their indexes`() throws {
    let context = try Self.filled()
    let all = try context.fetch(FetchDescriptor<Errand>(sortBy: [SortDescriptor(\.number)]))
    for errand in all {
      switch errand.number % 40 {
      case 0...9: errand.isDone.toggle()
      case 10: errand.tags.append("new")
      case 11...19: context.delete(errand)
      case 20: errand.title = String(repeating: "Ä", count: 3_000) + "\(errand.number)"
      default: break
      }
    }
    try context.save()
    try Self.check(context, #Predicate { $0.tags.contains("new") }, uses: "elements of tags")
    try Self.check(context, #Predicate { !$0.isDone && $0.list == "list 3" }, uses: "list, due where")
    let long = (String(repeating: "Ä", count: 3_000) + "60").lowercased()
    try Self.check(context, #Predicate { $0.title.lowercased() == long }, uses: "lowercased of title")
    try context.update(model: Errand.self, where: #Predicate { $0.rank < 20 }) { $0.tags = ["bulk", "bulk"] }
    try context.delete(model: Errand.self, where: #Predicate { $0.rank < 5 })
    try Self.check(context, #Predicate { $0.tags.contains("bulk") }, uses: "elements of tags")
    let report = try context.container.verify()
    #expect(report.isSound, "\(report)")
  }
}
