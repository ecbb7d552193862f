import Foundation
import SwiftData
import Testing

@Model class Gear {
  var weight: Int
  @Attribute(.unique) var code: String

  init(_ weight: Int) {
    self.weight = weight
    code = "c\(weight)"
  }
}

@Model class Machine: Gear {
  @Relationship(deleteRule: .cascade, inverse: \Cog.machine) var cogs: [Cog] = []
  @Relationship(inverse: \Mechanic.machines) var workers: [Mechanic] = []
  var spares: [Cog] = []

  override init(_ weight: Int) { super.init(weight) }
}

@Model final class Press: Machine {
  @Relationship(deleteRule: .cascade, inverse: \Plate.press) var plates: [Plate] = []

  override init(_ weight: Int) { super.init(weight) }
}

@Model final class Cog {
  @Attribute(.unique) var number: Int
  var machine: Machine?
  init(_ number: Int) { self.number = number }
}

@Model final class Plate {
  var number: Int
  var press: Press?
  init(_ number: Int) { self.number = number }
}

@Model final class Mechanic {
  var name: String
  var machines: [Machine] = []
  init(_ name: String) { self.name = name }
}

/// Regression: a member that was added from its own side to a list that a subclass declares stopped
/// the program in `save()`. The list's property was looked up in the root class, which has fewer
/// properties.
@Suite struct SubclassListTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try ModelContainer(
      for: Gear.self, Machine.self, Press.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
  }

  private func stored() throws -> [Int: [Int]] {
    let all = try ModelContext(container).fetch(FetchDescriptor<Machine>())
    return Dictionary(uniqueKeysWithValues: all.map { ($0.weight, $0.cogs.map(\.number)) })
  }

  @Test(arguments: [false, true]) func `a member is added from its own side`(isOwnerSaved: Bool) throws {
    let machine = Machine(1)
    context.insert(machine)
    if isOwnerSaved { try context.save() }
    for number in 0..<3 {
      let cog = Cog(number)
      context.insert(cog)
      cog.machine = machine
    }
    try context.save()
    #expect(try stored() == [1: [0, 1, 2]])
    let again = try #require(try context.fetch(FetchDescriptor<Cog>()).first { $0.number == 1 })
    again.machine = nil
    again.machine = machine
    try context.save()
    #expect(machine.cogs.map(\.number) == [0, 2, 1])
    #expect(try stored() == [1: [0, 2, 1]])
  }

  @Test func `a member is added from its own side, one and two classes below the root`() throws {
    let (machine, press) = (Machine(1), Press(2))
    context.insert(machine)
    context.insert(press)
    try context.save()
    for number in 0..<4 {
      let plate = Plate(number)
      context.insert(plate)
      plate.press = press
      let cog = Cog(number)
      context.insert(cog)
      cog.machine = number % 2 == 0 ? machine : press
    }
    try context.save()
    #expect(try stored() == [1: [0, 2], 2: [1, 3]])
    let other = try #require(try ModelContext(container).fetch(FetchDescriptor<Press>()).first)
    #expect(other.plates.map(\.number) == [0, 1, 2, 3])
  }

  @Test func `a member is added by its own list`() throws {
    let (machine, worker) = (Machine(1), Mechanic("Ann"))
    context.insert(machine)
    context.insert(worker)
    try context.save()
    worker.machines.append(machine)
    try context.save()
    worker.machines.removeAll()
    worker.machines.append(machine)
    let second = Mechanic("Bo")
    context.insert(second)
    second.machines = [machine]
    try context.save()
    let other = try #require(try ModelContext(container).fetch(FetchDescriptor<Machine>()).first)
    #expect(Set(other.workers.map(\.name)) == ["Ann", "Bo"])
  }

  @Test func `an owner is deleted after a member was added from its own side`() throws {
    let (machine, cog) = (Machine(1), Cog(2))
    context.insert(cog)
    context.insert(machine)
    cog.machine = machine
    context.delete(machine)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Gear>()) == 0)
  }

  @Test func `upserted members are added from their own side`() throws {
    let machine = Machine(1)
    machine.cogs = [Cog(0), Cog(1)]
    context.insert(machine)
    try context.save()
    let other = ModelContext(container)
    let owner = try #require(try other.fetch(FetchDescriptor<Machine>()).first)
    for number in [1, 2, 0, 3] {
      let cog = Cog(number)
      cog.machine = owner
      other.insert(cog)
    }
    try other.save()
    #expect(try stored() == [1: [0, 1, 2, 3]])
  }

  @Test func `a one-way list of a subclass`() throws {
    let machine = Machine(1)
    context.insert(machine)
    try context.save()
    let cog = Cog(1)
    context.insert(cog)
    machine.spares = [cog]
    try context.save()
    context.delete(cog)
    context.insert(cog)
    try context.save()
    let other = try #require(try ModelContext(container).fetch(FetchDescriptor<Machine>()).first)
    #expect(other.spares.map(\.number) == [1])
  }
}
