import SwiftData
import Testing

/// Refused saves, and the state after them.
@Suite struct RuleTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try makeFirms()
    context = ModelContext(container)
  }

  private func count<T: PersistentModel>(_ type: T.Type) throws -> Int {
    try ModelContext(container).fetchCount(FetchDescriptor<T>())
  }

  private func refused() -> RoostError? { #expect(throws: RoostError.self) { try context.save() } }

  @Test func `a deny rule names both models, and nothing changes`() throws {
    let firm = Firm("Hill")
    let desk = Desk("window", firm)
    context.insert(desk)
    try context.save()
    context.delete(firm)
    let error = refused()
    let fault = try #require(error?.faults.first)
    #expect(error?.code == .denied && error?.faults.count == 1)
    #expect(fault.model == firm.persistentModelID && fault.property == "desks")
    #expect(fault.others == [desk.persistentModelID] && fault.detail.contains("Desk 1"))
    #expect(try count(Firm.self) == 1 && count(Desk.self) == 1)
    #expect(context.hasChanges && context.deletedModelsArray.count == 1)
    // After the correction the same save succeeds.
    desk.firm = nil
    try context.save()
    #expect(try count(Firm.self) == 0 && count(Desk.self) == 1)
  }

  @Test func `a new model counts for a deny rule, and the error matches SwiftData's`() throws {
    let firm = Firm("Hill")
    context.insert(firm)
    try context.save()
    let desk = Desk("door")
    context.insert(desk)
    desk.firm = firm
    context.delete(firm)
    do {
      try context.save()
      Issue.record("it was not refused")
    } catch SwiftDataError.modelValidationFailure {
      #expect(context.hasChanges)
    }
    context.delete(desk)
    try context.save()
    #expect(try count(Firm.self) == 0 && count(Desk.self) == 0)
  }

  @Test func `a model with a required reference keeps its target or is deleted with it`() throws {
    let firm = Firm("Hill")
    let person = Badgeholder(7, firm)
    context.insert(person)
    try context.save()
    context.delete(firm)
    let error = refused()
    let fault = try #require(error?.faults.first)
    #expect(error?.code == .denied && fault.model == person.persistentModelID && fault.property == "firm")
    #expect(fault.others == [firm.persistentModelID])
    #expect(try count(Firm.self) == 1 && count(Badgeholder.self) == 1)
    context.delete(person)
    try context.save()
    #expect(try count(Firm.self) == 0 && count(Badgeholder.self) == 0)
  }

  @Test func `models that are deleted together prevent nothing`() throws {
    let firm = Firm("Hill")
    let desk = Desk("window", firm)
    context.insert(desk)
    try context.save()
    context.delete(firm)
    context.delete(desk)
    try context.save()
    #expect(try count(Firm.self) == 0 && count(Desk.self) == 0)
  }

  @Test func `all errors of a save are thrown together`() throws {
    let (hill, lake) = (Firm("Hill"), Firm("Lake"))
    context.insert(Desk("a", hill))
    context.insert(Desk("b", lake))
    context.insert(Badgeholder(1, lake))
    try context.save()
    context.delete(hill)
    context.delete(lake)
    let error = refused()
    #expect(error?.faults.count == 3)
    #expect(Set(error?.faults.map(\.property) ?? []) == ["desks", "firm"])
    context.rollback()
    #expect(!context.hasChanges)
    try context.save()
  }

  @Test func `a reference to a model that was never saved becomes nil`() throws {
    let desk = Desk("a", Firm("Hill"))
    context.insert(desk)
    context.delete(try #require(desk.firm))
    try context.save()
    #expect(desk.firm == nil)
    #expect(try count(Firm.self) == 0 && count(Desk.self) == 1)
  }

  @Test func `members are counted`() throws {
    let crew = Crew("Kiel", 1)
    context.insert(crew)
    let few = refused()
    #expect(few?.code == .count && few?.faults.first?.property == "sailors")
    #expect(few?.detail.contains("has 0") == true && few?.detail.contains("2 at least") == true)
    crew.sailors = (0..<4).map { Sailor("\($0)") }
    #expect(refused()?.detail.contains("3 at most") == true)
    context.delete(crew.sailors[3])
    try context.save()
    #expect(try count(Sailor.self) == 3)
    // A member that is deleted, and one that is removed from its own side.
    context.delete(crew.sailors[2])
    try context.save()
    context.delete(crew.sailors[1])
    #expect(refused()?.code == .count)
    context.rollback()
    crew.sailors[0].crew = nil
    #expect(refused()?.code == .count)
    context.insert(Crew("Bonn", 2, sailors: 2))
    context.delete(crew)
    try context.save()
    #expect(try count(Crew.self) == 1)
  }

  @Test func `members of unloaded lists are counted too`() throws {
    context.insert(Crew("Kiel", 1, sailors: 2))
    try context.save()
    let other = ModelContext(container)
    let sailor = try #require(try other.fetch(FetchDescriptor<Sailor>()).first)
    other.delete(sailor)
    let error = #expect(throws: RoostError.self) { try other.save() }
    #expect(error?.code == .count)
    other.rollback()
    try other.delete(model: Sailor.self)
    try other.delete(model: Crew.self)
    try other.save()
    #expect(try count(Sailor.self) == 0)
  }

  @Test func `two values together are unique`() throws {
    context.uniquePolicy = .throw
    context.insert(Crew("Kiel", 1, sailors: 2))
    context.insert(Crew("Kiel", 2, sailors: 2))
    try context.save()
    let again = Crew("Kiel", 2, sailors: 2)
    #expect(try context.existingModel(like: again)?.code == 2)
    #expect(throws: RoostError.self) { try context.insertUnique(again) }
    #expect(again.modelContext == nil)
    context.insert(again)
    let error = refused()
    #expect(error?.code == .notUnique && error?.faults.first?.property == "town, code")
    #expect(error?.detail.contains("\"Kiel\", 2") == true)
    again.code = 3
    try context.save()
    again.code = 1
    #expect(refused()?.code == .notUnique)
  }

  @Test func `an upsert merges relationships, and its identifier refers to the row`() throws {
    let kiel = Crew("Kiel", 1, sailors: 2)
    context.insert(kiel)
    try context.save()
    let identifier = kiel.persistentModelID
    let other = ModelContext(container)
    let again = Crew("Kiel", 1)
    let sailor = Sailor("new")
    sailor.crew = again
    other.insert(sailor)
    let old = again.persistentModelID
    try other.save()
    #expect(again.persistentModelID == identifier && again.sailors.map(\.name) == ["Kiel 0", "Kiel 1", "new"])
    #expect(sailor.crew === again && other.lastSave.merges.map(\.existing) == [identifier])
    #expect((other.model(for: old) as? Crew) === again)
    let leads = #Predicate<Sailor> { $0.crew?.persistentModelID == old }
    #expect(try other.fetchCount(FetchDescriptor(predicate: leads)) == 3)
    #expect(try other.fetchCount(FetchDescriptor<Crew>(predicate: #Predicate { $0.persistentModelID == old })) == 1)
    let olds = [old]
    let those = #Predicate<Crew> { olds.contains($0.persistentModelID) }
    #expect(try other.fetchCount(FetchDescriptor(predicate: those)) == 1)
    let found: Crew? = try context.existingModel(for: old)
    #expect(found === kiel && kiel.sailors.count == 3)
    #expect(try count(Crew.self) == 1)
  }

  @Test func `two partners of one model are separated`() throws {
    let (one, two, cabin) = (Sailor("one"), Sailor("two"), Cabin(1))
    for model in [one, two] { context.insert(model) }
    context.insert(cabin)
    try context.save()
    let other = ModelContext(container)
    other.automaticallyMergesChanges = false
    let sailors = try other.fetch(FetchDescriptor<Sailor>(sortBy: [SortDescriptor(\.name)]))
    sailors[1].cabin = try other.fetch(FetchDescriptor<Cabin>()).first
    one.cabin = cabin
    try context.save()
    try other.save()
    #expect(sailors[0].cabin == nil && sailors[1].cabin?.sailor === sailors[1])
    let third = ModelContext(container)
    let all = try third.fetch(FetchDescriptor<Sailor>(sortBy: [SortDescriptor(\.name)]))
    #expect(all.map { $0.cabin == nil } == [true, false])
    #expect(try third.fetch(FetchDescriptor<Cabin>()).first?.sailor === all[1])
  }

  @Test func `all stores of a container prepare before one commits`() throws {
    let folder = try Folder()
    let container = try ModelContainer(
      for: Firm.self, Desk.self, Badgeholder.self, Stranger.self,
      configurations: ModelConfiguration("a", schema: Schema([Firm.self]), url: folder.file("a")),
      ModelConfiguration("b", schema: Schema([Stranger.self]), url: folder.file("b")))
    let context = ModelContext(container)
    let firm = Firm("Hill")
    context.insert(Desk("a", firm))
    try context.save()
    context.delete(firm)
    context.insert(Stranger())
    #expect(throws: RoostError.self) { try context.save() }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Stranger>()) == 0)
    context.rollback()
    context.insert(Stranger())
    firm.name = "Lake"
    try context.save()
    let other = ModelContext(container)
    #expect(try other.fetchCount(FetchDescriptor<Stranger>()) == 1)
    #expect(try other.fetch(FetchDescriptor<Firm>()).map(\.name) == ["Lake"])
  }
}
