import Foundation
import SwiftData
import Testing

/// Deletes all models that a predicate finds, without an object for each.
@Suite struct BulkDeleteTests {
  private func stock() throws -> ModelContext {
    let context = ModelContext(try Stock.container())
    let group = WareGroup("tools")
    let label = WareLabel("l")
    context.insert(group)
    context.insert(label)
    for number in 0..<10 {
      let ware = Ware("w\(number)", count: number, group: group)
      ware.parts = [Part("a\(number)"), Part("b\(number)")]
      ware.labels = [label]
      ware.seal = Seal(number)
      context.insert(ware)
    }
    try context.save()
    return context
  }

  private func count<T: PersistentModel>(_ type: T.Type, _ context: ModelContext) throws -> Int {
    try ModelContext(context.container).fetchCount(FetchDescriptor<T>())
  }

  @Test func `delete rules are followed`() throws {
    let context = try stock()
    let held = try context.fetch(FetchDescriptor<Ware>(sortBy: [SortDescriptor(\.count)]))
    let group = try #require(held[0].group)
    let label = try #require(held[0].labels.first)
    #expect(group.wares.count == 10 && label.wares.count == 10)
    let gone = try context.deleteAll(model: Ware.self, where: #Predicate { $0.count < 4 })
    #expect(gone.count == 4 && Set(gone) == Set(held[..<4].map(\.persistentModelID)))
    #expect(try count(Ware.self, context) == 6 && count(Part.self, context) == 12 && count(Seal.self, context) == 10)
    #expect(group.wares.count == 6 && label.wares.count == 6)
    #expect(held[3].isDeleted && held[3].code == "w3" && !held[4].isDeleted && !context.hasChanges)
    #expect(try ModelContext(context.container).fetch(FetchDescriptor<Seal>()).filter { $0.ware == nil }.count == 4)
    #expect(try context.deleteAll(model: Ware.self, where: #Predicate { $0.count < 4 }).isEmpty)
    try context.deleteAll(model: Ware.self)
    #expect(try count(Ware.self, context) == 0 && count(Part.self, context) == 0)
    #expect(group.wares.isEmpty)
  }

  @Test func `the obstacle to a deletion is named, and nothing changes`() throws {
    let context = ModelContext(try makeFirms())
    let (hill, lake) = (Firm("Hill"), Firm("Lake"))
    let desk = Desk("a", hill)
    context.insert(desk)
    context.insert(lake)
    context.insert(Badgeholder(1, lake))
    try context.save()
    let error = #expect(throws: RoostError.self) { try context.deleteAll(model: Firm.self) }
    #expect(error?.code == .denied)
    let fault = error?.faults.first { $0.model == hill.persistentModelID }
    #expect(fault?.property == "desks" && fault?.others == [desk.persistentModelID])
    #expect(try count(Firm.self, context) == 2 && count(Desk.self, context) == 1)
    let needed = #expect(throws: RoostError.self) {
      try context.deleteAll(model: Firm.self, where: #Predicate { $0.name == "Lake" })
    }
    #expect(needed?.code == .denied && needed?.description.contains("Badgeholder 1") == true)
    try context.deleteAll(model: Badgeholder.self)
    try context.deleteAll(model: Desk.self)
    try context.deleteAll(model: Firm.self)
    #expect(try count(Firm.self, context) == 0)
  }

  @Test func `the minimum number of members is checked`() throws {
    let context = ModelContext(try makeFirms())
    context.insert(Crew("Kiel", 1, sailors: 3))
    try context.save()
    try context.deleteAll(model: Sailor.self, where: #Predicate { $0.name == "Kiel 0" })
    let error = #expect(throws: RoostError.self) {
      try context.deleteAll(model: Sailor.self, where: #Predicate { $0.name == "Kiel 1" })
    }
    #expect(error?.code == .count && error?.faults.first?.property == "sailors")
    #expect(try count(Sailor.self, context) == 2)
    try context.deleteAll(model: Crew.self)
    try context.deleteAll(model: Sailor.self)
    #expect(try count(Sailor.self, context) == 0)
  }

  @Test func `other contexts see it, and their changes to deleted models are dropped`() throws {
    let context = try stock()
    let other = ModelContext(context.container)
    let there = try other.fetch(FetchDescriptor<Ware>(sortBy: [SortDescriptor(\.count)]))
    there[0].title = "changed"
    try context.deleteAll(model: Ware.self, where: #Predicate { $0.count < 2 })
    #expect(try other.fetchCount(FetchDescriptor<Ware>(predicate: #Predicate { $0.count >= 0 })) <= 9)
    #expect(there[1].isDeleted && there[1].code == "w1")
    other.mergePolicy = .error
    let error = #expect(throws: RoostError.self) { try other.save() }
    #expect(error?.code == .conflict)
    other.mergePolicy = .objectWins
    try other.save()
    #expect(there[0].isDeleted && other.lastSave.dropped.count == 1)
    #expect(try count(Ware.self, context) == 8)
  }

  @Test func `unsaved changes to models that would be deleted prevent it`() throws {
    let context = try stock()
    let all = try context.fetch(FetchDescriptor<Ware>(sortBy: [SortDescriptor(\.count)]))
    let part = try #require(all[3].parts.first)
    part.name = "changed"
    let error = #expect(throws: RoostError.self) {
      try context.deleteAll(model: Ware.self, where: #Predicate { $0.count == 3 })
    }
    #expect(error?.code == .pendingChanges && error?.faults.first?.model == part.persistentModelID)
    #expect(try count(Ware.self, context) == 10)
    try context.deleteAll(model: Ware.self, where: #Predicate { $0.count == 5 })
    #expect(part.name == "changed" && context.hasChanges)
    try context.save()
    #expect(try count(Ware.self, context) == 9)
    // References to a deleted model become nil.
    let new = Part("new")
    context.insert(new)
    new.ware = all[6]
    try context.save()
    new.ware = all[7]
    try context.deleteAll(model: Ware.self, where: #Predicate { $0.count == 8 })
    #expect(new.ware === all[7])
    context.rollback()
    #expect(new.ware === all[6])
  }

  @Test func `an unsaved deletion of the same model is left to the save`() throws {
    let context = try stock()
    let all = try context.fetch(FetchDescriptor<Ware>(sortBy: [SortDescriptor(\.count)]))
    context.delete(all[0])
    let error = #expect(throws: RoostError.self) { try context.deleteAll(model: Ware.self) }
    #expect(error?.code == .pendingChanges)
    try context.deleteAll(model: Ware.self, where: #Predicate { $0.count > 0 })
    context.rollback()
    #expect(try context.fetch(FetchDescriptor<Ware>()).map(\.code) == ["w0"])
  }

  @Test func `classes of a family are deleted alone or together`() throws {
    let context = try Fleet.context()
    context.insert(Vehicle("v", weight: 1))
    context.insert(Car("c", weight: 2))
    context.insert(Taxi("x", number: 1, office: Office("o")))
    context.insert(Truck("t", weight: 3))
    try context.save()
    nonisolated(unsafe) var told: [String] = []
    let token = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) {
      told += ($0.userInfo?["deleted"] as? [PersistentIdentifier] ?? []).map(\.entityName)
    }
    defer { NotificationCenter.default.removeObserver(token) }
    let cars = try context.deleteAll(model: Car.self, includeSubclasses: false)
    #expect(cars.map(\.entityName) == ["Car"] && told == ["Car"])
    let trucks = try context.deleteAll(model: Vehicle.self, where: #Predicate { $0 is Truck })
    #expect(trucks.map(\.entityName) == ["Truck"])
    #expect(Set(try context.deleteAll(model: Vehicle.self).map(\.entityName)) == ["Vehicle", "Taxi"])
    #expect(try count(Vehicle.self, context) == 0)
    let error = #expect(throws: RoostError.self) { try context.deleteAll(model: Stranger.self) }
    #expect(error?.code == .unknownModel)
  }

  @Test func `several stores each delete their own models`() throws {
    let container = try ModelContainer(
      for: Schema([Ware.self, WareGroup.self, Part.self, WareLabel.self, Seal.self, Stranger.self]),
      configurations: [
        ModelConfiguration("a", schema: Schema([Stranger.self]), isStoredInMemoryOnly: true),
        ModelConfiguration("b", isStoredInMemoryOnly: true),
      ])
    let context = ModelContext(container)
    context.insert(Stranger())
    context.insert(Ware("a", count: 1))
    try context.save()
    let waiting = Ware("b")
    context.insert(waiting)
    try context.update(model: Stranger.self) { $0.name = "s" }
    #expect(try context.deleteAll(model: Stranger.self, where: #Predicate { $0.name == "s" }).count == 1)
    try context.insert(batch: [Stranger(), Stranger()])
    #expect(context.hasChanges)
    try context.save()
    #expect(try count(Ware.self, context) == 2 && count(Stranger.self, context) == 2)
  }
}
