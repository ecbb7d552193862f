import RoostImport
import SwiftData
import Testing

@Model private final class Freight {
  @Attribute(.unique) var name: String
  @Relationship(deleteRule: .cascade, inverse: \FreightItem.freight) var items: [FreightItem] = []
  @Derived(.count(\Freight.items)) var itemCount: Int
  @Derived(.sum(\Freight.items, \.weight)) var weight: Int
  @Validate(.length(...20)) @Derived(\Freight.label) var text: String
  // A sum of values that are computed from another sum.
  @Derived(\Freight.cost) var price: Int
  var train: Train?
  var label: String { "\(name): \(itemCount)" }
  var cost: Int { 10 * weight + itemCount }

  init(_ name: String, _ train: Train? = nil) { (self.name, self.train) = (name, train) }
}

@Model private final class FreightItem {
  var weight: Int
  var freight: Freight?

  init(_ weight: Int, _ freight: Freight? = nil) { (self.weight, self.freight) = (weight, freight) }
}

@Model private final class Train {
  @Attribute(.unique) var name: String
  @Relationship(inverse: \Freight.train) var freights: [Freight] = []
  @Derived(.sum(\Train.freights, \.price)) var price: Int
  @Derived(\Train.sign) var text: String
  var sign: String { "\(name) \(price)" }

  init(_ name: String) { self.name = name }
}

/// A model whose total is computed from the totals of others of its class, which may lead back to it.
@Model private final class Pulley {
  var name: String
  var own: Int
  @Relationship(inverse: \Pulley.above) var below: [Pulley] = []
  var above: Pulley?
  @Derived(.sum(\Pulley.below, \.whole)) var sum: Int
  @Derived(\Pulley.total) var whole: Int
  var total: Int { own + sum }

  init(_ name: String, _ own: Int, _ above: Pulley? = nil) { (self.name, self.own, self.above) = (name, own, above) }
}

/// Values that the program computes from values which the store derives: both are right after one save.
@Suite struct ChainedDerivedTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try ModelContainer(
      for: Freight.self, Pulley.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
  }

  /// The texts and prices of freights and trains, as stored.
  private func stored() throws -> [String] {
    let other = ModelContext(container)
    let freights = try other.fetch(FetchDescriptor<Freight>(sortBy: [SortDescriptor(\.name)]))
    let trains = try other.fetch(FetchDescriptor<Train>(sortBy: [SortDescriptor(\.name)]))
    return freights.map { "\($0.text) \($0.price)" } + trains.map(\.text)
  }

  @Test func `a save computes from the new counts and sums`() throws {
    let train = Train("T")
    let freight = Freight("A", train)
    context.insert(freight)
    freight.items = [FreightItem(1), FreightItem(2)]
    try context.save()
    #expect(try stored() == ["A: 2 32", "T 32"])
    #expect(freight.text == "A: 2" && freight.price == 32 && train.price == 32 && train.text == "T 32")
    // Only members change.
    let other = ModelContext(container)
    let item = try #require(try other.fetch(FetchDescriptor<FreightItem>(sortBy: [SortDescriptor(\.weight)])).first)
    item.weight = 5
    try other.save()
    #expect(try stored() == ["A: 2 72", "T 72"])
    #expect(try context.fetch(FetchDescriptor<Train>()).map(\.text) == ["T 72"] && train.price == 72)
    other.delete(item)
    try other.save()
    #expect(try stored() == ["A: 1 21", "T 21"])
    let found = try context.fetch(FetchDescriptor<Freight>(predicate: #Predicate { $0.text == "A: 1" }))
    #expect(found == [freight])
  }

  @Test func `every other way of writing does too`() throws {
    try context.insert(batch: [Freight("A", Train("T"))])
    #expect(try stored() == ["A: 0 0", "T 0"])
    let freight = try #require(try context.fetch(FetchDescriptor<Freight>()).first)
    try context.insert(batch: [FreightItem(1, Freight("A")), FreightItem(2, Freight("A"))])
    #expect(try stored() == ["A: 2 32", "T 32"])
    try context.update(model: FreightItem.self) { $0.weight = 4 }
    #expect(try stored() == ["A: 2 82", "T 82"])
    // A text import of the members, whose class computes nothing.
    let importer = try container.importer(for: FreightItem.self)
    let report = try importer.run(.text("weight,freight\n1,A\n", .csv))
    #expect(report.progress.inserted == 1)
    #expect(try stored() == ["A: 3 93", "T 93"])
    _ = try importer.run(models: [FreightItem(1, Freight("A"))])
    #expect(try stored() == ["A: 4 104", "T 104"])
    try context.deleteAll(model: FreightItem.self, where: #Predicate { $0.weight == 4 })
    #expect(try stored() == ["A: 2 22", "T 22"])
    #expect(try context.fetch(FetchDescriptor<Freight>()) == [freight] && freight.text == "A: 2")
    try context.deleteAll(model: FreightItem.self)
    #expect(try stored() == ["A: 0 0", "T 0"])
    try ModelContext(container).deleteAll(model: Freight.self)
    #expect(try stored() == ["T 0"])
  }

  @Test func `a rule is tested on the value that is stored`() throws {
    let freight = Freight("123456789012345678")
    context.insert(freight)
    freight.items = (0..<9).map { FreightItem($0) }
    // The save knows the count that the rule is about.
    let error = #expect(throws: RoostError.self) { try context.save() }
    #expect(error?.code == .invalid && error?.faults.map(\.property) == ["text"])
    #expect(try stored() == [])
    // Too long with the count that is stored now, and not with the next one.
    freight.name = "short"
    try context.save()
    #expect(try stored() == ["short: 9 369"])
    freight.name = "1234567890123456"
    freight.items.append(FreightItem(0))
    try context.save()
    // With ten items this name would be too long.
    freight.name = "12345678901234567"
    context.delete(freight.items[9])
    try context.save()
    #expect(try stored() == ["12345678901234567: 9 369"])
  }

  @Test func `a chain of sums is computed to its end`() throws {
    var last: Pulley?
    for number in 0..<40 {
      let one = Pulley("\(number)", 1, last)
      context.insert(one)
      last = one
    }
    try context.save()
    func totals() throws -> [Int] {
      try ModelContext(container).fetch(FetchDescriptor<Pulley>()).map(\.whole).sorted()
    }
    #expect(try totals() == Array(1...40))
    last?.own = 2
    try context.save()
    #expect(try totals() == Array(2...41))
  }

  @Test func `a circle of sums is an error`() throws {
    let (one, two) = (Pulley("one", 1), Pulley("two", 1))
    context.insert(one)
    context.insert(two)
    try context.save()
    (one.above, two.above) = (two, one)
    let error = #expect(throws: RoostError.self) { try context.save() }
    #expect(error?.faults.first?.detail.contains("circle") == true, "\(String(describing: error))")
    context.rollback()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Pulley>()).allSatisfy { $0.above == nil })
  }
}
