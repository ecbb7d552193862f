import Foundation
import SwiftData
import Testing

@Model final class Chore {
  #Index<Chore>([\.list, \.due])
  #Index<Chore>([\.due], where: { !$0.isDone })
  #Index<Chore>([.lowercased(\.title)], [.elements(\.tags)], [.ascending(\.points), .descending(\.due)])
  #Unique<Chore>([\.list, \.title], where: { !$0.isDone })
  var title: String
  var list: String
  var due: Date?
  var points = 0
  var isDone = false
  var tags: [String] = []

  init(_ title: String, list: String) { (self.title, self.list) = (title, list) }
}

@Suite struct IndexesGuideTests {
  private let context: ModelContext

  init() throws {
    context = ModelContext(
      try ModelContainer(for: Chore.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    for number in 0..<200 {
      let chore = Chore("Chore \(number)", list: "list \(number % 3)")
      chore.isDone = number % 8 != 0
      chore.due = number % 2 == 0 ? Date(timeIntervalSinceReferenceDate: Double(1000 - number)) : nil
      chore.points = number % 11
      chore.tags = number % 50 == 0 ? ["urgent", "home"] : ["later"]
      if number == 100 { chore.title = "WATER the lawn" }
      context.insert(chore)
    }
    try context.save()
  }

  @Test func `a partial index`() throws {
    let dueChores = FetchDescriptor<Chore>(
      predicate: #Predicate { !$0.isDone && $0.due != nil }, sortBy: [SortDescriptor(\.due)])
    print(try context.explain(dueChores).indexes)
    #expect(try context.explain(dueChores).indexes == ["due where isDone == false"])
    #expect(try context.fetch(dueChores).count == 25)
  }

  @Test func `a unique value with a condition`() throws {
    let old = Chore("Water the plants", list: "home")
    old.isDone = true
    context.insert(old)
    context.insert(Chore("Water the plants", list: "home"))
    try context.save()
    context.insert(Chore("Water the plants", list: "home"))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Chore>(predicate: #Predicate { $0.list == "home" })) == 2)
  }

  @Test func `forms of properties`() throws {
    let urgent = #Predicate<Chore> { $0.tags.contains("urgent") && $0.title.lowercased().starts(with: "water") }
    let found = try context.fetch(FetchDescriptor(predicate: urgent))
    #expect(found.map(\.title) == ["WATER the lawn"])
    #expect(try context.explain(FetchDescriptor(predicate: urgent)).rowsRead < 5)
  }

  @Test func `an order of both directions`() throws {
    let ranking = FetchDescriptor<Chore>(sortBy: [SortDescriptor(\.points), SortDescriptor(\.due, order: .reverse)])
    print(try context.explain(ranking).sorting == .index)
    var first = ranking
    first.fetchLimit = 3
    #expect(try context.explain(first).sorting == .index)
  }
}
