import Foundation
import SwiftData
import Testing

/// Inserts many models, and releases each after it is written.
@Suite struct BatchInsertTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try Stock.container()
    context = ModelContext(container)
  }

  @Test func `a lazy sequence is inserted`() throws {
    nonisolated(unsafe) var made = 0
    let models = (0..<1000).lazy.map { number -> Ware in
      made += 1
      return Ware("w\(number)", title: "title \(number)", count: number, tags: ["t"])
    }
    let names = try context.insert(batch: models)
    #expect(names.count == 1000 && made == 1000 && !context.hasChanges)
    let wares = try Stock.wares(container)
    #expect(wares.count == 1000 && wares["w7"]?.title == "title 7" && wares["w7"]?.tags == ["t"])
    #expect(names[7] == wares["w7"]?.persistentModelID && names.last == wares["w999"]?.persistentModelID)
    let found: Ware? = try context.existingModel(for: names[500])
    #expect(found?.count == 500)
    #expect(try context.insert(batch: [Ware]()).isEmpty)
  }

  @Test func `no model is kept`() throws {
    nonisolated(unsafe) weak var last: Ware?
    nonisolated(unsafe) var alive = 0
    try context.insert(batch: 0..<50) { number in
      if last != nil { alive += 1 }
      let made = Ware("w\(number)")
      last = made
      return made
    }
    // The caller may still hold the model before.
    #expect(last == nil && alive < 50)
    let kept = Ware("kept")
    try context.insert(batch: [kept])
    #expect(kept.modelContext == nil && !kept.isDeleted && !kept.hasChanges)
    kept.code = "changed"
    #expect(try Stock.wares(container)["kept"] != nil)
  }

  @Test func `a closure that throws stores nothing`() throws {
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try context.insert(batch: 0..<10) { number in
        if number == 7 { throw Stop() }
        return Ware("w\(number)")
      }
    }
    #expect(try Stock.wares(container).isEmpty)
    try context.insert(batch: 0..<10) { Ware("w\($0)") }
    #expect(try Stock.wares(container).count == 10)
  }

  // MARK: Relationships

  @Test func `models reference stored ones`() throws {
    let (tools, toys) = (WareGroup("tools"), WareGroup("toys"))
    context.insert(tools)
    context.insert(toys)
    try context.save()
    let other = ModelContext(container)
    let there = try #require(try other.fetch(FetchDescriptor<WareGroup>(sortBy: [SortDescriptor(\.name)])).first)
    #expect(tools.wares.isEmpty && there.wares.isEmpty)
    try context.insert(batch: (0..<10).lazy.map { Ware("w\($0)", group: $0 < 7 ? tools : toys) })
    #expect(tools.wares.map(\.code) == (0..<7).map { "w\($0)" } && toys.wares.count == 3)
    #expect(try other.fetchCount(FetchDescriptor<Ware>()) == 10)
    #expect(there.wares.count == 7)
  }

  @Test func `referenced models are inserted too`() throws {
    let label = WareLabel("stored")
    context.insert(label)
    try context.save()
    let names = try context.insert(batch: 0..<5) { number in
      let ware = Ware("w\(number)", group: WareGroup("g\(number)"))
      ware.parts = (0..<3).map { Part("p\(number) \($0)") }
      ware.labels = [label, WareLabel("l\(number)")]
      ware.seal = Seal(number)
      return ware
    }
    #expect(names.count == 5 && names.allSatisfy { $0.entityName == "Ware" })
    let other = ModelContext(container)
    let wares = try other.fetch(FetchDescriptor<Ware>(sortBy: [SortDescriptor(\.code)]))
    for number in 0..<5 {
      let ware = wares[number]
      #expect(ware.group?.name == "g\(number)" && ware.seal?.number == number && ware.seal?.ware === ware)
      #expect(ware.parts.map(\.name) == (0..<3).map { "p\(number) \($0)" })
      #expect(ware.parts.allSatisfy { $0.ware === ware })
      #expect(Set(ware.labels.map(\.text)) == ["stored", "l\(number)"])
      #expect(ware.group?.wares.map(\.code) == [ware.code])
    }
    #expect(label.wares.count == 5)
    #expect(try context.fetchCount(FetchDescriptor<Part>()) == 15)
  }

  @Test func `an owner inserts its list, in any order, from either side`() throws {
    let (first, second) = (Ware("b", count: 1), Ware("a", count: 2))
    let group = WareGroup("g")
    group.wares = [first, second]
    try context.insert(batch: [group])
    #expect(try ModelContext(container).fetch(FetchDescriptor<WareGroup>()).first?.wares.map(\.code) == ["b", "a"])
    // Both reference each other, and one of them is reached first by another path.
    let (one, two, label) = (Ware("one"), Ware("two"), WareLabel("l"))
    label.wares = [two, one]
    one.labels = [label]
    two.labels = [label]
    let both = WareGroup("both")
    one.group = both
    both.wares = [two, one]
    try context.insert(batch: [one])
    let stored = try ModelContext(container).fetch(
      FetchDescriptor<WareGroup>(predicate: #Predicate { $0.name == "both" }))
    #expect(stored.first?.wares.map(\.code) == ["two", "one"])
    let labels = try ModelContext(container).fetch(FetchDescriptor<WareLabel>())
    #expect(labels.count == 1 && Set(labels[0].wares.map(\.code)) == ["one", "two"] && labels[0].wares.count == 2)
  }

  @Test func `a new owner takes over stored models`() throws {
    let (old, ware, seal) = (WareGroup("old"), Ware("w"), Seal(1))
    ware.group = old
    context.insert(ware)
    context.insert(seal)
    try context.save()
    #expect(old.wares.count == 1)
    let new = WareGroup("new")
    new.wares = [ware]
    try context.insert(batch: [new])
    #expect(ware.group?.name == "new" && old.wares.isEmpty && !context.hasChanges)
    let sealed = Ware("sealed")
    sealed.seal = seal
    try context.insert(batch: [sealed])
    #expect(seal.ware?.code == "sealed")
  }

  @Test func `models that cannot be referenced are named`() throws {
    let waiting = WareGroup("waiting")
    context.insert(waiting)
    let other = ModelContext(container)
    let foreign = WareGroup("foreign")
    other.insert(foreign)
    try other.save()
    let gone = WareGroup("gone")
    context.insert(gone)
    context.delete(gone)
    let cases: [(WareGroup, RoostError.Code, String)] = [
      (waiting, .pendingChanges, "save it first"), (gone, .deleted, "deleted"),
    ]
    for (group, code, text) in cases {
      let ware = Ware("w")
      // Before the batch the reference would insert the ware.
      let error = #expect(throws: RoostError.self) {
        try context.insert(batch: [Ware("first"), ware]) {
          ware.group = group
          return $0
        }
      }
      #expect(error?.code == code && error?.description.contains(text) == true, "\(error?.description ?? "")")
      #expect(error?.description.contains("Ware.group") == true)
    }
    // The reference inserts it into the other context.
    let elsewhere = Ware("elsewhere", group: foreign)
    let error = #expect(throws: RoostError.self) { try context.insert(batch: [elsewhere]) }
    #expect(elsewhere.modelContext === other && error?.code == .foreign)
    #expect(error?.description.contains("or in another context") == true)
    let unknown = #expect(throws: RoostError.self) { try context.insert(batch: [Artist("a")]) }
    #expect(unknown?.code == .unknownModel)
    #expect(try Stock.wares(container).isEmpty)
  }

  @Test func `a member with only one owner is not taken away`() throws {
    let medals = ModelContext(try makeFirms())
    let sailor = Sailor("s")
    sailor.medal = Medal(1, sailor)
    medals.insert(sailor)
    try medals.save()
    let error = #expect(throws: RoostError.self) { try medals.insert(batch: [2]) { Medal($0, sailor) } }
    #expect(error?.code == .notUnique)
    #expect(try ModelContext(medals.container).fetch(FetchDescriptor<Medal>()).map(\.number) == [1])
    // A crew with too few sailors and one with enough.
    let few = #expect(throws: RoostError.self) { try medals.insert(batch: [Crew("Kiel", 1, sailors: 1)]) }
    #expect(few?.code == .count)
    try medals.insert(batch: [Crew("Kiel", 1, sailors: 2), Crew("Kiel", 2, sailors: 3)])
    #expect(try medals.fetchCount(FetchDescriptor<Sailor>()) == 6)
  }

  /// Regression: new models that reference each other have no context after a batch and are never
  /// released. Through a stored model they kept the store open.
  @Test func `a reference cycle that a batch left keeps no file open after the container is closed`() throws {
    let folder = try Folder()
    let ware = Ware("round")
    let part = Part("p")
    do {
      let container = try ModelContainer(for: Ware.self, configurations: ModelConfiguration(url: folder.file()))
      let context = ModelContext(container)
      let group = WareGroup("stored")
      context.insert(group)
      try context.save()
      try context.insert(batch: [ware]) {
        (ware.parts, part.ware, ware.group) = ([part], ware, group)
        return $0
      }
      #expect(try Stock.wares(container)["round"]?.parts.count == 1)
      try container.close()
    }
    #expect(ware.modelContext == nil && ware.group != nil && part.ware === ware)
    // The file would be refused as open with other models.
    let other = try ModelContainer(for: Artist.self, configurations: ModelConfiguration(url: folder.file()))
    #expect(try ModelContext(other).fetchCount(FetchDescriptor<Artist>()) == 0)
    part.ware = nil
  }

  @Test func `friends reference each other`() throws {
    let people = ModelContext(
      try ModelContainer(for: Person.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let (ann, bob, eve) = (Person("Ann"), Person("Bob"), Person("Eve"))
    ann.friends = [bob, eve]
    ann.spouse = bob
    try people.insert(batch: [ann])
    let other = ModelContext(people.container)
    let stored = try other.fetch(FetchDescriptor<Person>(sortBy: [SortDescriptor(\.name)]))
    #expect(stored.map(\.name) == ["Ann", "Bob", "Eve"])
    #expect(stored[0].spouse === stored[1] && stored[1].spouse === stored[0] && stored[2].spouse == nil)
    #expect(stored[0].friends == [stored[1], stored[2]] && stored[1].friends == [stored[0]])
  }

  @Test func `a family's models are of their classes`() throws {
    let context = try Fleet.context()
    let models: [Vehicle] = [Vehicle("v"), Car("c", doors: 3), Truck("t", engine: 2), Car("d", doors: 5)]
    let names = try context.insert(batch: models)
    #expect(names.map(\.entityName) == ["Vehicle", "Car", "Truck", "Car"])
    let other = ModelContext(context.container)
    #expect(try other.fetch(FetchDescriptor<Car>(sortBy: [SortDescriptor(\.plate)])).map(\.doors) == [3, 5])
    #expect(try other.fetch(FetchDescriptor<Truck>()).map(\.engine) == [2])
    let error = #expect(throws: RoostError.self) { try context.insert(batch: [Vehicle("c")]) }
    #expect(error?.code == .notUnique)
  }

  // MARK: Unique values

  @Test func `the policy decides about existing values`() throws {
    try context.insert(batch: [Ware("a", title: "old", count: 1), Ware("b", count: 2)])
    let names = try context.insert(batch: [Ware("a", count: 10), Ware("c", count: 30)])
    #expect(try Stock.wares(container)["a"].map { [$0.title ?? "nil", "\($0.count)"] } == ["nil", "10"])
    #expect(names[0] == (try Stock.wares(container)["a"])?.persistentModelID)
    let merge = try #require(context.lastSave.merges.first)
    #expect(
      context.lastSave.mergeCount == 1 && merge.policy == "upsert" && merge.fields.sorted() == ["count", "title"])
    #expect(merge.existing == names[0])
    context.uniquePolicy = .keepExisting
    try context.insert(batch: [Ware("a", count: 11)])
    #expect(try Stock.wares(container)["a"]?.count == 10)
    context.uniquePolicy = .throw
    let error = #expect(throws: RoostError.self) { try context.insert(batch: [Ware("d"), Ware("a", count: 12)]) }
    #expect(error?.code == .notUnique && error?.faults.first?.others == [names[0]])
    #expect(try Stock.wares(container)["d"] == nil)
    try context.setUniquePolicy(
      .resolve { inserted, existing in
        inserted.count += existing.count
        return .upsert
      }, for: Ware.self)
    try context.insert(batch: [Ware("a", count: 1), Ware("a", count: 2), Ware("b", count: 3)])
    let wares = try Stock.wares(container)
    #expect(wares["a"]?.count == 13 && wares["b"]?.count == 5 && wares.count == 3)
  }

  @Test func `the relationships of a merged model move to the stored one`() throws {
    let ware = Ware("a", group: WareGroup("g"))
    ware.parts = [Part("one")]
    context.insert(ware)
    try context.save()
    #expect(ware.parts.count == 1)
    let again = Ware("a", group: WareGroup("g"))
    again.parts = [Part("two"), Part("three")]
    let twice = Ware("b")
    let second = Ware("b", count: 7)
    let group = WareGroup("h")
    group.wares = [twice, second]
    try context.insert(batch: [again])
    try context.insert(batch: [group])
    #expect(ware.parts.map(\.name) == ["one", "two", "three"])
    let other = ModelContext(container)
    #expect(try other.fetchCount(FetchDescriptor<WareGroup>()) == 2 && other.fetchCount(FetchDescriptor<Part>()) == 3)
    let wares = try Stock.wares(container)
    #expect(wares.count == 2 && wares["b"]?.count == 7 && wares["b"]?.group?.wares.count == 1)
  }

  @Test func `a notification lists the identifiers, up to a limit`() throws {
    nonisolated(unsafe) var told: [Int] = []
    let token = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) {
      told.append(($0.userInfo?["inserted"] as? [PersistentIdentifier])?.count ?? -1)
      told.append(($0.userInfo?["updated"] as? [PersistentIdentifier])?.count ?? -1)
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try context.insert(batch: [Ware("a"), Ware("b")])
    try context.insert(batch: [Ware("a"), Ware("c")])
    #expect(told == [2, 0, 1, 1])
  }

  @Test func `many models take no more memory than a few`() throws {
    // With this many models no list of identifiers would be made.
    let names = try context.insert(batch: (0..<100_001).lazy.map { Part("\($0)") })
    #expect(names.count == 100_001)
    #expect(try context.fetchCount(FetchDescriptor<Part>()) == 100_001)
    try context.update(model: Part.self) { $0.name = "x" }
    #expect(try context.fetchCount(FetchDescriptor<Part>(predicate: #Predicate { $0.name == "x" })) == 100_001)
    #expect(try context.deleteAll(model: Part.self).count == 100_001)
    #expect(try context.fetchCount(FetchDescriptor<Part>()) == 0)
  }
}
