import Foundation
import Roost
import Testing

@Model final class Permit {
  #Index<Permit>([\.level], where: { $0.tags.count > 3 })
  #Index<Permit>([\.title], where: { !($0.ratio < 2) })
  #Index<Permit>([.count(\.level)])
  var title: String
  var level: Int
  var ratio: Double
  var tags: [String]
  init() { (title, level, ratio, tags) = ("", 0, 0, []) }
}

@Model final class Voyage {
  #Index<Voyage>(
    [\.port],
    where: {
      ($0.crew >= 3 || $0.port == "Kiel") && $0.harbor.name != "x" && (1..<9).contains($0.crew) && !($0.crew > 100)
        && Voyage.ports.contains($0.port) && ($0.guests ?? 0) < -1
    })
  #Unique<Voyage>([\.port, \.crew], where: { $0.guests != nil })
  static let ports = ["a", "b"]
  var port: String
  var crew: Int
  var guests: Int?
  var harbor = Haven(name: "")
  init() { (port, crew) = ("", 0) }
}

@Model final class Chalet {
  #Index<Chalet>([\.name], [\.guests])
  var name: String
  @Relationship(inverse: \Skier.chalet) var guests: [Skier] = []
  init() { name = "" }
}

@Model final class Skier {
  var name: String
  var chalet: Chalet?
  init() { name = "" }
}

@Model final class Pannier {
  #Index<Pannier>([\.label, \.tags, \.place, \.weight], [\.tags])
  var label: String
  var tags: [String] = []
  var place = PigeonPlace()
  var weight: Int
  init(_ label: String, _ weight: Int) { (self.label, self.weight) = (label, weight) }
}

@Model final class Satchel {
  #Unique<Satchel>([\.tags])
  var tags: [String] = []
  init() {}
}

struct PigeonPlace: Codable { var floor = 0, door = 0 }

@Model final class Pigeonhole {
  @Attribute(.unique) var place = PigeonPlace()
  init() {}
}

struct Haven: Codable { var name: String }

/// Declarations of `#Index` and `#Unique`, and refusals.
@Suite struct IndexDeclarationTests {
  @Test func `a schema shows the definitions`() throws {
    let entity = try #require(Schema([Voyage.self]).entitiesByName["Voyage"])
    #expect(entity.indices.isEmpty && entity.uniquenessConstraints.isEmpty)
    #expect(
      entity.indexDefinitions.map(\.description) == [
        #"port where (crew >= 3 || port == "Kiel") && harbor.name != "x" && crew >= 1 && crew < 9 && crew <= 100 && "#
          + #"(port == "a" || port == "b") && guests < -1"#,
        "unique port, crew where guests != nil",
      ])
    #expect(entity.indexDefinitions.map(\.isUnique) == [false, true])
    let errand = try #require(Schema([Errand.self]).entitiesByName["Errand"])
    #expect(errand.indices == [["number"]])
    #expect(errand.indexDefinitions.contains { $0.parts == [.init("tags", form: .elements)] && $0.condition == nil })
  }

  @Test func `a schema with definitions can be encoded and decoded`() throws {
    let schema = Schema([Voyage.self, Errand.self])
    let again = try JSONDecoder().decode(Schema.self, from: JSONEncoder().encode(schema))
    #expect(again.entitiesByName["Voyage"]?.indexDefinitions == schema.entitiesByName["Voyage"]?.indexDefinitions)
  }

  @Test func `a definition that a store cannot keep is refused, and the error names the part`() throws {
    let error = #expect(throws: (any Error).self) {
      _ = try ModelContainer(for: Permit.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }
    let text = error.map { "\($0)" } ?? ""
    #expect(text.contains("#Index of Permit has a condition that a store cannot keep"), "\(text)")
    #expect(text.contains("$0.tags.count") || text.contains("write the opposite comparison"), "\(text)")
  }

  @Test func `a part of an index whose values have no order is left out`() throws {
    let container = try ModelContainer(
      for: Pannier.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    for number in 0..<200 { context.insert(Pannier("a\(number % 20)", number)) }
    try context.save()
    let heavy = FetchDescriptor<Pannier>(
      predicate: #Predicate { $0.label == "a3" && $0.weight > 100 }, sortBy: [SortDescriptor(\.weight)])
    #expect(try context.fetch(heavy).map(\.weight) == [103, 123, 143, 163, 183])
    let plan = try context.explain(heavy).description
    #expect(plan.contains("label, weight"), "\(plan)")
  }

  @Test func `a unique value without an order is refused with the way out`() throws {
    let error = #expect(throws: (any Error).self) {
      _ = try ModelContainer(for: Satchel.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }
    let text = error.map { "\($0)" } ?? ""
    #expect(text.contains("covers tags, whose values have no order: leave it out"), "\(text)")
    #expect(!text.contains(".elements"), "\(text)")
    let other = #expect(throws: (any Error).self) {
      _ = try ModelContainer(for: Pigeonhole.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }
    let advice = other.map { "\($0)" } ?? ""
    #expect(advice.contains(#"name them, as in #Unique([\.place.floor, …])"#), "\(advice)")
  }

  @Test func `an index over a list of models is refused`() throws {
    let error = #expect(throws: (any Error).self) {
      _ = try ModelContainer(for: Chalet.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }
    let text = error.map { "\($0)" } ?? ""
    #expect(text.contains(#"#Index of Chalet names \.guests, a list of Skier"#), "\(text)")
  }

  @Test func `an index with a long condition contains the objects that fulfil it`() throws {
    let container = try ModelContainer(
      for: Voyage.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    for number in 0..<20 {
      let voyage = Voyage()
      (voyage.port, voyage.crew, voyage.guests) = (number % 2 == 0 ? "a" : "Kiel", number, number % 3 == 0 ? -5 : nil)
      voyage.harbor.name = number % 4 == 0 ? "x" : "y"
      context.insert(voyage)
    }
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Voyage>(predicate: #Predicate { $0.port == "a" })) == 10)
    #expect(try container.verify().isSound)
  }
}
