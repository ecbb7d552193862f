import Foundation
import SwiftData
import Testing

@Model final class Chore {
  #Index<Chore>([\.list, \.due])
  #Index<Chore>([\.due], where: { !$0.isDone })
  #Index<Chore>([.lowercased(\.title)], [.elements(\.tags)], [.ascending(\.points), .descending(\.due)])
  #Index<Chore>([.folded(\.place)], [.keys(\.labels)], [.month(\.due), .day(\.due)], where: { $0.points >= 0 })
  #Unique<Chore>([\.list, \.title], where: { !$0.isDone })
  var title: String
  var list: String
  var due: Date?
  var points = 0
  var isDone = false
  var tags: [String] = []
  var place = ""
  var labels: [String: String] = [:]

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

  @Test func `folded texts, keys and parts of dates`() throws {
    let chores = try context.fetch(FetchDescriptor<Chore>())
    for chore in chores.prefix(100) {
      chore.due = Calendar(identifier: .gregorian).date(byAdding: .day, value: chore.points * 31, to: .distantPast)
      chore.place = chore.points == 3 ? "Zürich" : "Bern"
      chore.labels = chore.points == 4 ? ["room": "kitchen"] : [:]
    }
    chores[0].due = Date(timeIntervalSinceReferenceDate: 86_400 * 340)
    chores[0].place = "zurich"
    try context.save()
    let place = "ZÜRICH".folded
    let inDecember = #Predicate<Chore> { $0.points >= 0 && $0.place.folded == place && $0.due?.utc.month == 12 }
    let labelled = #Predicate<Chore> { $0.points >= 0 && $0.labels["room"] == "kitchen" }
    for predicate in [inDecember, labelled] {
      let descriptor = FetchDescriptor(predicate: predicate)
      let wanted = try chores.filter { try predicate.evaluate($0) }
      let found = try context.fetch(descriptor)
      #expect(!wanted.isEmpty && found.count == wanted.count)
      let explanation = try context.explain(descriptor)
      #expect(explanation.rowsRead < 60, "\(explanation)")
    }
    let month = Computed(#Expression<Chore, Int?> { $0.due?.utc.month })
    let groups = try context.aggregate(Chore.self, .count, by: \.[month])
    for group in groups { #expect(group.values == chores.filter { $0.due?.utc.month == group.key }.count) }
    #expect(groups.count > 2)
  }

  @Test func `an order of both directions`() throws {
    let ranking = FetchDescriptor<Chore>(sortBy: [SortDescriptor(\.points), SortDescriptor(\.due, order: .reverse)])
    print(try context.explain(ranking).sorting == .index)
    var first = ranking
    first.fetchLimit = 3
    #expect(try context.explain(first).sorting == .index)
  }
}
