import Foundation
import Observation
import SwiftData
import Testing

/// A type whose decoder ends the program for made-up values.
private struct Choosy: Codable, Equatable {
  var number = 3
  var names = ["a"]

  init(_ number: Int) { self.number = number }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    number = try values.decode(Int.self, forKey: .number)
    precondition(number > 2)
    names = try values.decode([String].self, forKey: .names)
  }

  enum CodingKeys: CodingKey { case number, names }
}

@Model private class Gate {
  var street: String
  @Attribute(.ephemeral) var isOpen = false
  @Attribute(.ephemeral) var guests: [String] = []
  @Attribute(.ephemeral) var keeper: String?
  @Attribute(.ephemeral) var opened: Date = Date(timeIntervalSince1970: 1)

  init(street: String) {
    self.street = street
    isOpen = true
  }
}

@Model private final class TollGate: Gate {
  @Attribute(.ephemeral) var queue = 3
  var fee = 1

  override init(street: String) {
    super.init(street: street)
    queue = 4
  }
}

@Model private final class Chest {
  @Attribute(.codable) var choosy: Choosy
  @Attribute(.codable) var maybe: Choosy?
  @Attribute(.codable) var many: [Choosy] = []
  @Attribute(.codable) var number = 5
  @Attribute(.codable) var initial: Choosy = Choosy(9)
  var label = ""

  init(_ number: Int) { choosy = Choosy(number) }
}

/// The effects of options of `@Attribute`.
@Suite struct AttributeOptionTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try ModelContainer(
      for: Gate.self, TollGate.self, Chest.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
  }

  @Test func `an ephemeral value belongs to the object and is not stored`() throws {
    let gate = TollGate(street: "a")
    context.insert(gate)
    gate.guests.append("g")
    gate.keeper = "k"
    try context.save()
    #expect(gate.isOpen && gate.guests == ["g"] && gate.keeper == "k" && gate.queue == 4)
    gate.queue = 5
    #expect(!context.hasChanges)
    let other = ModelContext(container)
    let found = try #require(try other.fetch(FetchDescriptor<TollGate>()).first)
    #expect(!found.isOpen && found.guests.isEmpty && found.keeper == nil && found.queue == 3 && found.fee == 1)
    #expect(found.opened == Date(timeIntervalSince1970: 1))
    // A save of another context does not change it.
    found.street = "b"
    try other.save()
    #expect(try context.fetch(FetchDescriptor<Gate>()).first === gate && gate.street == "b" && gate.queue == 5)
    context.rollback()
    #expect(gate.guests == ["g"])
  }

  @Test func `observers are notified of an ephemeral value`() throws {
    let gate = TollGate(street: "a")
    final class Told: @unchecked Sendable { var count = 0 }
    let told = Told()
    withObservationTracking {
      _ = (gate.queue, gate.isOpen)
    } onChange: {
      told.count += 1
    }
    gate.keeper = "k"
    #expect(told.count == 0)
    gate.queue = 9
    #expect(told.count == 1)
  }

  @Test func `the schema has an ephemeral property as transient`() throws {
    let attributes = try #require(container.schema.entitiesByName["TollGate"]).attributes
    let transient = attributes.filter(\.isTransient).map(\.name).sorted()
    #expect(transient == ["guests", "isOpen", "keeper", "opened", "queue"])
    #expect(attributes.first { $0.name == "queue" }?.defaultValue as? Int == 3)
    #expect(attributes.first { $0.name == "opened" }?.valueType == Date.self)
  }

  @Test func `a codable value is stored in its encoded form`() throws {
    let chest = Chest(7)
    context.insert(chest)
    chest.many = [Choosy(8), Choosy(4)]
    context.insert(Chest(4))
    try context.save()
    let other = ModelContext(container)
    let all = try other.fetch(FetchDescriptor<Chest>())
    #expect(all.map(\.choosy.number) == [7, 4] && all.map(\.maybe) == [nil, nil] && all.map(\.number) == [5, 5])
    #expect(all[0].many == [Choosy(8), Choosy(4)] && all[0].initial == Choosy(9))
    all[1].maybe = Choosy(11)
    all[0].many.removeFirst()
    try other.save()
    #expect(try context.fetch(FetchDescriptor<Chest>(predicate: #Predicate { $0.maybe != nil })).count == 1)
    #expect(chest.many == [Choosy(4)])
    let attributes = try #require(container.schema.entitiesByName["Chest"]).attributes
    #expect(attributes.filter(\.isCodable).count == 5)
    #expect(try container.verify().isSound)
  }
}
