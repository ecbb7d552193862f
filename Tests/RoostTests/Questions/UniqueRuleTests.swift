import Foundation
import SwiftData
import Testing

/// A new model with unique values that exist, under the policy of its class.
@Suite struct UniqueRuleTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try Stock.container()
    context = ModelContext(container)
    context.insert(Ware("a", title: "old", count: 1, version: 5, updatedAt: Date(timeIntervalSince1970: 100)))
    try context.save()
  }

  private func insert(_ wares: Ware...) throws {
    for ware in wares { context.insert(ware) }
    try context.save()
  }

  private func stored(_ code: String = "a") throws -> Ware { try #require(try Stock.wares(container)[code]) }

  @Test func `a class has its own policy, which can be removed`() throws {
    try context.setUniquePolicy(.keepExisting, for: Ware.self)
    try insert(Ware("a", count: 2))
    #expect(try stored().count == 1)
    // Another class uses the context's policy.
    context.uniquePolicy = .throw
    context.insert(WareGroup("g"))
    context.insert(WareGroup("g"))
    #expect(throws: RoostError.self) { try context.save() }
    context.rollback()
    try context.setUniquePolicy(nil, for: Ware.self)
    context.insert(Ware("a", count: 3))
    #expect(throws: RoostError.self) { try context.save() }
    context.uniquePolicy = .upsert
    try context.save()
    #expect(try stored().count == 3)
  }

  @Test func `the newest wins, and the later one of two equal ones`() throws {
    try context.setUniquePolicy(.newest(by: \.version), for: Ware.self)
    try insert(Ware("a", count: 2, version: 4))
    #expect(try stored().count == 1)
    #expect(context.lastSave.merges.first?.choice == .keepExisting)
    #expect(
      context.lastSave.merges.first?.policy == "newest(by: version)" && context.lastSave.merges.first?.fields == [])
    try insert(Ware("a", count: 3, version: 5))
    #expect(try stored().count == 3)
    // The new models of one save are compared with each other.
    try insert(Ware("a", count: 6, version: 6), Ware("a", count: 9, version: 9), Ware("a", count: 7, version: 7))
    #expect(try stored().count == 9)
    try insert(Ware("b", count: 2, version: 2), Ware("b", count: 1, version: 1), Ware("b", count: 3, version: 2))
    #expect(try stored("b").count == 3)
  }

  @Test func `nil is the oldest`() throws {
    try context.setUniquePolicy(.newest(by: \.updatedAt), for: Ware.self)
    func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }
    try insert(Ware("a", count: 2, updatedAt: nil))
    #expect(try stored().count == 1)
    try insert(Ware("a", count: 3, updatedAt: date(101)))
    #expect(try stored().count == 3 && stored().updatedAt == date(101))
    try insert(Ware("n", count: 1), Ware("n", count: 2), Ware("n", count: 3, updatedAt: date(1)), Ware("n", count: 4))
    #expect(try stored("n").count == 3)
  }

  @Test func `any comparable property can decide`() throws {
    let albums = ModelContext(try makeContainer())
    let artist = Artist("Ella", born: nil, street: "b")
    albums.insert(artist)
    try albums.save()
    try albums.setUniquePolicy(.newest(by: \.address.street), for: Artist.self)
    albums.insert(Artist("Ella", born: Date(timeIntervalSince1970: 1), street: "a"))
    try albums.save()
    #expect(artist.born == nil)
    albums.insert(Artist("Ella", born: Date(timeIntervalSince1970: 1), street: "c"))
    try albums.save()
    #expect(artist.born == Date(timeIntervalSince1970: 1) && artist.address.street == "c")
  }

  @Test func `only some properties are merged`() throws {
    let (tools, toys) = (WareGroup("tools"), WareGroup("toys"))
    context.insert(tools)
    context.insert(toys)
    try context.save()
    try context.setUniquePolicy(.fields(\.count, \.group), for: Ware.self)
    try insert(Ware("a", title: "new", price: 9, count: 2, tags: ["x"], group: tools))
    var ware = try stored()
    #expect(ware.count == 2 && ware.title == "old" && ware.price == 0 && ware.tags == [] && ware.group?.name == "tools")
    let merge = try #require(context.lastSave.merges.first)
    #expect(merge.policy == "fields(count, group)" && merge.fields == ["count", "group"])
    // If the new model's reference is nil, the stored model keeps its own.
    try insert(Ware("a", count: 3))
    ware = try stored()
    #expect(ware.count == 3 && ware.group?.name == "tools")
    try context.setUniquePolicy(.fields(\.title), for: Ware.self)
    try insert(Ware("a", title: nil, count: 4, group: toys))
    ware = try stored()
    #expect(ware.title == nil && ware.count == 3 && ware.group?.name == "tools")
    let long = String(repeating: "x", count: 50_000)
    try insert(Ware("a", title: long, count: 5))
    #expect(try stored().title == long && stored().count == 3)
  }

  @Test func `a closure gets models of the class`() throws {
    try context.setUniquePolicy(
      .resolve { inserted, existing in
        if inserted.count < 0 { return .throw }
        inserted.count += existing.count
        return .upsert
      }, for: Ware.self)
    try insert(Ware("a", count: 10))
    #expect(try stored().count == 11)
    // Each of several new models gets the result of the one before.
    try insert(
      Ware("a", count: 100), Ware("a", count: 200), Ware("b", count: 1), Ware("b", count: 2), Ware("b", count: 3))
    #expect(try stored().count == 311 && stored("b").count == 6)
    context.insert(Ware("a", count: -1))
    let error = #expect(throws: RoostError.self) { try context.save() }
    #expect(error?.code == .notUnique)
    context.rollback()
    struct Stop: Error {}
    try context.setUniquePolicy(.resolve { _, _ in throw Stop() }, for: Ware.self)
    context.insert(Ware("a", count: 5))
    #expect(throws: Stop.self) { try context.save() }
    #expect(context.hasChanges)
    try context.setUniquePolicy(
      .resolve { _, existing in
        existing.count += 1
        return .keepExisting
      }, for: Ware.self)
    try context.save()
    #expect(try stored().count == 312)
  }

  @Test func `an earlier choice of a closure applies to the next model`() throws {
    try context.setUniquePolicy(
      .resolve { inserted, existing in
        inserted.tags = existing.tags + [inserted.title ?? existing.title ?? "-"]
        return inserted.count == 0 ? .keepExisting : inserted.count == 1 ? .mergeNonNil : .upsert
      }, for: Ware.self)
    try insert(
      Ware("a", title: "one", count: 1), Ware("a", title: nil, count: 1), Ware("a", title: "no", count: 0),
      Ware("a", title: nil, count: 2))
    let ware = try stored()
    #expect(ware.title == nil && ware.tags == ["one", "one", "one"] && ware.count == 2)
  }

  @Test func `the stored one keeps its identifier and relationships`() throws {
    let ware = try #require(try context.fetch(FetchDescriptor<Ware>()).first)
    ware.parts = [Part("one")]
    ware.group = WareGroup("g")
    try context.save()
    let name = ware.persistentModelID
    for rule: ModelContext.UniqueRule<Ware> in [
      .upsert, .keepExisting, .mergeNonNil, .newest(by: \.version), .fields(\.count),
    ] {
      try context.setUniquePolicy(rule, for: Ware.self)
      let again = Ware("a", count: 7, version: 100)
      again.parts = [Part("more")]
      try insert(again)
      #expect(again.persistentModelID == name || again.isDeleted)
    }
    let now = try stored()
    #expect(now.persistentModelID == name && now.group?.name == "g")
    #expect(now.parts.map(\.name) == ["one", "more", "more", "more", "more", "more"])
    #expect(ware.parts.count == 6 && ware.count == 7)
  }

  @Test func `references can be part of a unique constraint`() throws {
    let seats = ModelContext(
      try ModelContainer(for: Chair.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let (red, blue) = (Venue("red"), Venue("blue"))
    seats.insert(Chair(1, red, "a"))
    seats.insert(Chair(1, blue, "b"))
    seats.insert(Chair(1, nil, "c"))
    seats.insert(Chair(1, nil, "d"))
    try seats.save()
    #expect(try seats.fetchCount(FetchDescriptor<Chair>()) == 4)
    try seats.setUniquePolicy(.fields(\.guest), for: Chair.self)
    seats.insert(Chair(1, red, "e"))
    seats.insert(Chair(2, red, "f"))
    try seats.save()
    let all = try ModelContext(seats.container).fetch(FetchDescriptor<Chair>(sortBy: [SortDescriptor(\.guest)]))
    #expect(all.map(\.guest) == ["b", "c", "d", "e", "f"])
    // Even if the other model is new and is merged into a stored one.
    try seats.insert(batch: [Chair(2, Venue("red"), "g")])
    #expect(try seats.fetchCount(FetchDescriptor<Chair>()) == 5 && seats.fetchCount(FetchDescriptor<Venue>()) == 2)
    seats.insert(Chair(2, Venue("red"), "h"))
    try seats.save()
    let guests = try ModelContext(seats.container).fetch(
      FetchDescriptor<Chair>(predicate: #Predicate { $0.number == 2 }))
    #expect(guests.map(\.guest) == ["h"])
  }

  @Test func `a subclass follows its superclass, unless it has its own policy`() throws {
    let fleet = try Fleet.context()
    fleet.insert(Car("c", weight: 1))
    fleet.insert(Truck("t", weight: 1))
    try fleet.save()
    try fleet.setUniquePolicy(.keepExisting, for: Vehicle.self)
    try fleet.setUniquePolicy(.fields(\.weight), for: Truck.self)
    fleet.insert(Car("c", weight: 2))
    fleet.insert(Truck("t", weight: 2, engine: 9))
    try fleet.save()
    let other = ModelContext(fleet.container)
    #expect(try other.fetch(FetchDescriptor<Car>()).map(\.weight) == [1])
    #expect(try other.fetch(FetchDescriptor<Truck>()).map { [Double($0.weight), $0.engine] } == [[2, 1]])
  }

  @Test func `an invalid policy is an error`() throws {
    let cases: [(ModelContext.UniqueRule<Ware>, String)] = [
      (.fields(), "name the properties"), (.fields(\.code.count), "not a stored property"),
      (.fields(\.count, \.parts), "always taken over"),
    ]
    for (rule, text) in cases {
      let error = #expect(throws: RoostError.self) { try context.setUniquePolicy(rule, for: Ware.self) }
      #expect(error?.code == .badValue && error?.description.contains(text) == true, "\(error?.description ?? "")")
    }
    let error = #expect(throws: RoostError.self) { try context.setUniquePolicy(.throw, for: Artist.self) }
    #expect(error?.code == .unknownModel)
  }

  @Test func `a save reports its merges, and the next save none`() throws {
    nonisolated(unsafe) var heard: [Int] = []
    nonisolated(unsafe) let saving = context
    let token = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) {
      _ in
      heard.append(saving.lastSave.merges.count)
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try context.transaction {
      context.insert(Ware("a", title: "old", count: 2, version: 5))
      context.insert(Ware("b"))
    }
    let merge = try #require(context.lastSave.merges.first)
    #expect(context.lastSave.mergeCount == 1 && merge.policy == "upsert" && merge.fields == ["count", "updatedAt"])
    try insert(Ware("c"))
    #expect(context.lastSave.merges.isEmpty && heard == [1, 0])
  }

  // MARK: At the insertion

  @Test func `a context checks insertions if requested`() throws {
    context.checksUniqueAtInsert = true
    let again = Ware("a", count: 2)
    context.insert(again)
    #expect(again.modelContext == nil)
    let error = #expect(throws: RoostError.self) { try context.save() }
    #expect(error?.code == .notUnique && error?.description.contains("Ware.code: Ware 1") == true)
    // Unsaved models count too, with their present values.
    let first = Ware("b")
    context.insert(first)
    context.insert(Ware("c"))
    first.code = "d"
    context.insert(Ware("b"))
    #expect(context.insertedModelsArray.count == 3)
    context.insert(Ware("d"))
    #expect(context.insertedModelsArray.count == 3)
    #expect(throws: RoostError.self) { try context.save() }
    try context.save()
    #expect(Set(try Stock.wares(container).keys) == ["a", "b", "c", "d"])
    // A stored model that was renamed or deleted gives up its value.
    let stored = try #require(try context.fetch(FetchDescriptor<Ware>(predicate: #Predicate { $0.code == "b" })).first)
    stored.code = "e"
    context.insert(Ware("b", count: 9))
    context.insert(Ware("e"))
    #expect(context.insertedModelsArray.count == 1)
    #expect(throws: RoostError.self) { try context.save() }
    try context.save()
    #expect(try self.stored("b").count == 9)
    // Models that come along are checked too.
    let part = Part("p")
    part.ware = Ware("a")
    context.insert(part)
    #expect(throws: RoostError.self) { try context.save() }
    #expect(part.modelContext == nil)
    context.checksUniqueAtInsert = false
    try insert(Ware("a", count: 77))
    #expect(try self.stored().count == 77)
  }

  @Test func `checking many insertions does not get slower and slower`() throws {
    context.checksUniqueAtInsert = true
    for number in 0..<5000 { context.insert(Ware("w\(number)")) }
    context.insert(Ware("w4321"))
    #expect(context.insertedModelsArray.count == 5000)
    #expect(throws: RoostError.self) { try context.save() }
    try context.save()
    #expect(try Stock.wares(container).count == 5001)
  }
}

@Model final class Venue {
  @Attribute(.unique) var name: String
  var chairs: [Chair] = []

  init(_ name: String) { self.name = name }
}

@Model final class Chair {
  #Unique<Chair>([\.number, \.venue])
  var number: Int
  @Relationship(inverse: \Venue.chairs) var venue: Venue?
  var guest: String

  init(_ number: Int, _ venue: Venue?, _ guest: String) {
    self.number = number
    self.venue = venue
    self.guest = guest
  }
}
