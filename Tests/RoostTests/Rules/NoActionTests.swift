import SwiftData
import Testing

@Model private final class Wharf {
  #Index<Wharf>([\.name])
  var name: String
  @Relationship(deleteRule: .noAction, inverse: \Barge.wharf) var barges: [Barge] = []

  init(_ name: String) { self.name = name }
}

@Model private final class Barge {
  var name: String
  var wharf: Wharf?

  init(_ name: String, _ wharf: Wharf?) { (self.name, self.wharf) = (name, wharf) }
}

/// References that the delete rule `.noAction` leaves: the stored reference stays, as in Core Data, and a getter finds no model.
@Suite struct NoActionTests {
  @Test func `a predicate sees the stored reference, and a getter sees no model`() throws {
    let container = try ModelContainer(
      for: Wharf.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let wharf = Wharf("w")
    context.insert(wharf)
    context.insert(Barge("left", wharf))
    context.insert(Barge("free", nil))
    try context.save()
    context.delete(wharf)
    try context.save()
    let other = ModelContext(container)
    func names(_ predicate: Predicate<Barge>) throws -> [String] {
      try other.fetch(FetchDescriptor(predicate: predicate)).map(\.name)
    }
    #expect(try names(#Predicate { $0.wharf != nil }) == ["left"])
    #expect(try names(#Predicate { $0.wharf == nil }) == ["free"])
    let left = try #require(try barges(other).first { $0.name == "left" })
    #expect(left.wharf == nil)
    // Setting it to nil clears the stored reference.
    left.wharf = nil
    try other.save()
    #expect(try names(#Predicate { $0.wharf != nil }) == [])
  }

  @Test func `a path over a broken reference is nil, as in Swift`() throws {
    let container = try ModelContainer(
      for: Wharf.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let wharves = ["gone", "there"].map { Wharf($0) }
    for wharf in wharves { context.insert(wharf) }
    for number in 0..<6 { context.insert(Barge("\(number)", number % 3 == 0 ? nil : wharves[number % 3 - 1])) }
    try context.save()
    context.delete(wharves[0])
    try context.save()
    let asked: [(Predicate<Barge>, (Barge) -> Bool)] = [
      (#Predicate { $0.wharf?.name == "gone" }, { $0.wharf?.name == "gone" }),
      (#Predicate { $0.wharf?.name == "there" }, { $0.wharf?.name == "there" }),
      (#Predicate { $0.wharf?.name == nil }, { $0.wharf?.name == nil }),
      (#Predicate { $0.wharf?.name != "there" }, { $0.wharf?.name != "there" }),
      (#Predicate { ($0.wharf?.name ?? "none") < "o" }, { ($0.wharf?.name ?? "none") < "o" }),
      (#Predicate { ($0.wharf?.barges.count ?? 7) > 2 }, { ($0.wharf?.barges.count ?? 7) > 2 }),
      (#Predicate { if let wharf = $0.wharf { wharf.name < "z" } else { false } }, { ($0.wharf?.name ?? "z") < "z" }),
      (#Predicate { $0.wharf?.name.uppercased() == nil }, { $0.wharf?.name.uppercased() == nil }),
    ]
    for isChanged in [false, true] {
      let other = ModelContext(container)
      if isChanged { other.insert(Barge("new", nil)) }
      let all = try barges(other)
      for (number, (predicate, test)) in asked.enumerated() {
        let found = try other.fetch(FetchDescriptor(predicate: predicate)).map(\.name).sorted()
        #expect(found == all.filter(test).map(\.name).sorted(), "\(number)")
        #expect(try other.fetchCount(FetchDescriptor(predicate: predicate)) == found.count, "\(number)")
      }
      let sorted = try other.fetch(
        FetchDescriptor<Barge>(sortBy: [SortDescriptor(\.wharf?.name), SortDescriptor(\.name)]))
      #expect(
        sorted.map(\.name) == (isChanged ? ["0", "1", "3", "4", "new", "2", "5"] : ["0", "1", "3", "4", "2", "5"]))
    }
  }

  private func barges(_ context: ModelContext) throws -> [Barge] { try context.fetch(FetchDescriptor<Barge>()) }
}
