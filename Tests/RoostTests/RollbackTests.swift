import SwiftData
import Synchronization
import Testing

/// Models and values after a rollback.
@Suite struct RollbackTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try makeFirms()
    context = ModelContext(container)
  }

  @Test func `new models keep their references, and can be inserted again`() throws {
    let firm = Firm("Hill")
    context.insert(firm)
    try context.save()
    let (person, desk) = (Badgeholder(7, firm), Desk("a", firm))
    let lake = Firm("Lake")
    let swimmer = Badgeholder(8, lake)
    lake.desks = [Desk("b"), Desk("c")]
    for model in [person, swimmer] { context.insert(model) }
    context.insert(desk)
    #expect(firm.people == [person] && lake.people == [swimmer])
    for _ in 0..<2 {
      context.rollback()
      #expect(person.modelContext == nil && !person.isDeleted && !context.hasChanges)
      #expect(person.firm === firm && desk.firm === firm && swimmer.firm === lake)
      #expect(lake.desks.map(\.place) == ["b", "c"] && lake.people == [swimmer])
      #expect(firm.people.isEmpty && firm.desks.isEmpty)
      context.insert(desk)
      context.insert(swimmer)
      #expect(firm.desks == [desk] && lake.modelContext === context)
    }
    context.insert(person)
    try context.save()
    let other = ModelContext(container)
    let firms = try other.fetch(FetchDescriptor<Firm>(sortBy: [SortDescriptor(\.name)]))
    #expect(firms.map { $0.desks.map(\.place) } == [["a"], ["b", "c"]])
    #expect(firms.map { $0.people.map(\.number) } == [[7], [8]])
  }

  @Test func `deleted new models are restored too`() throws {
    let lake = Firm("Lake")
    let person = Badgeholder(8, lake)
    context.insert(person)
    context.delete(lake)
    context.rollback()
    #expect(!lake.isDeleted && person.firm === lake)
    context.insert(person)
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Badgeholder>()).first?.firm.name == "Lake")
  }

  @Test(arguments: [false, true]) func `referenced models of new ones may be deleted meanwhile`(reads: Bool) throws {
    var kept: Firm?
    let firm = Firm("Hill")
    context.insert(firm)
    try context.save()
    let other = ModelContext(container)
    let person = Badgeholder(1, try #require(try other.fetch(FetchDescriptor<Firm>()).first))
    other.insert(person)
    if reads { kept = person.firm }
    context.delete(firm)
    try context.save()
    other.rollback()
    // If the model was loaded it keeps its values; otherwise it has empty ones.
    #expect(person.firm.isDeleted && (person.firm.name == "Hill" || (!reads && person.firm.name == "")))
    other.insert(person)
    let error = #expect(throws: RoostError.self) { try other.save() }
    #expect(error?.description.contains("Firm 1") == true)
    person.firm = Firm("Lake")
    try other.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Badgeholder>()).first?.firm.name == "Lake")
    #expect(kept.map { $0.name == "Hill" } != false)
  }

  @Test func `a reference to an unloaded row stays`() throws {
    do {
      context.insert(Firm("Hill"))
      try context.save()
    }
    context.reset()
    let desk = Desk("a")
    do { desk.firm = try context.fetch(FetchDescriptor<Firm>()).first }
    context.insert(desk)
    context.rollback()
    #expect(desk.firm?.name == "Hill")
    context.insert(desk)
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Desk>()).first?.firm?.name == "Hill")
  }

  @Test func `models that outlive their context have no context`() throws {
    var person: Badgeholder?
    do {
      let short = ModelContext(container)
      let made = Badgeholder(1, Firm("Lake"))
      short.insert(made)
      person = made
    }
    let kept = try #require(person)
    #expect(kept.firm.name == "Lake" && kept.firm.people == [kept] && kept.modelContext == nil)
    context.insert(kept)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Firm>()) == 1)
  }

  @Test func `unused new models are released, even if they reference each other`() throws {
    let context = ModelContext(
      try ModelContainer(for: Trunk.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let before = Trunk.ended.load(ordering: .relaxed)
    var kept: Leaf?
    do {
      for number in 0..<3 {
        let leaf = Leaf(Trunk())
        context.insert(leaf)
        #expect(leaf.trunk.leaves.count == 1)
        if number == 0 { kept = leaf }
      }
    }
    context.rollback()
    #expect(Trunk.ended.load(ordering: .relaxed) == before + 2)
    #expect(kept?.trunk.leaves.count == 1)
    kept?.trunk.leaves = []
    kept = nil
    #expect(Trunk.ended.load(ordering: .relaxed) == before + 3)
  }

  @Test func `a required relationship that was never set gives a deleted model`() throws {
    let unset = Badgeholder(backingData: _BackingData<Badgeholder>())
    #expect(unset.firm.isDeleted && unset.firm.name == "" && unset.firm.people.isEmpty)
    let pot = Pot(backingData: _BackingData<Pot>())
    #expect(pot.seed.isDeleted && pot.seed.kind == .small && pot.seed.weights == [] && pot.seed.pot.isDeleted)
    unset.number = 1
    context.insert(unset)
    let error = #expect(throws: RoostError.self) { try context.save() }
    #expect(error?.code == .badValue && error?.description.contains("Badgeholder 1.firm") == true)
    unset.firm = Firm("Lake")
    try context.save()
  }

  @Test func `a value that is being changed during a rollback is changed afterwards`() throws {
    let firm = Firm("Hill")
    firm.desks = [Desk("a")]
    context.insert(firm)
    try context.save()
    func changing<Value>(_ value: inout Value, _ body: (inout Value) -> Void) { body(&value) }
    firm.name = "before"
    changing(&firm.name) {
      context.rollback()
      $0 = "Lake"
    }
    #expect(firm.name == "Lake" && context.hasChanges)
    changing(&firm.desks) {
      context.rollback()
      $0.append(Desk("b"))
    }
    #expect(firm.desks.map(\.place) == ["a", "b"] && firm.name == "Hill")
    #expect(firm.desks.allSatisfy { $0.firm === firm })
    try context.save()
    let other = try #require(try ModelContext(container).fetch(FetchDescriptor<Firm>()).first)
    #expect(other.name == "Hill" && other.desks.map(\.place) == ["a", "b"])
  }

  @Test func `many values of a model are changed at once`() throws {
    let firm = Firm("Hill")
    context.insert(firm)
    try context.save()
    func deep(_ count: Int, _ desks: inout [Desk]) {
      if count == 0 { return desks.append(Desk("a")) }
      deep(count - 1, &firm.desks)
    }
    deep(20, &firm.desks)
    #expect(firm.modelContext === context)
    firm.name = "Lake"
    #expect(firm.hasChanges)
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Firm>()).map(\.name) == ["Lake"])
  }
}

@Model final class Trunk {
  var leaves: [Leaf] = []

  init() {}

  deinit { Trunk.ended.add(1, ordering: .relaxed) }

  static let ended = Atomic<Int>(0)
}

@Model final class Leaf {
  @Relationship(inverse: \Trunk.leaves) var trunk: Trunk

  init(_ trunk: Trunk) { self.trunk = trunk }
}

@Model final class Pot {
  var seed: Seed

  init(_ seed: Seed) { self.seed = seed }
}

@Model final class Seed {
  enum Kind: String, Codable, CaseIterable { case small, large }
  struct Weight: Codable, Hashable { var grams: Double }

  var kind: Kind
  var weights: [Weight]
  @Relationship(inverse: \Pot.seed) var pot: Pot

  init(_ pot: Pot) {
    kind = .large
    weights = [Weight(grams: 1)]
    self.pot = pot
  }
}
