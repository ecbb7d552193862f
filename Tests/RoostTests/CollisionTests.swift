import SwiftData
import Testing

/// At the first new model with the unique value of a stored one, a save stops writing. From there
/// on it only compares the other new models with the store and with each other. Its result is the
/// same as if it wrote all of them.
@Suite struct CollisionTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try Stock.container()
    context = ModelContext(container)
    for code in ["a", "b"] { context.insert(Ware(code, title: "old", count: 1)) }
    try context.save()
  }

  @Test func `each new model with a known value is reported, even if the known one is new`() throws {
    context.uniquePolicy = .throw
    for code in ["a", "n", "n", "b"] { context.insert(Ware(code)) }
    let error = try #require(#expect(throws: RoostError.self) { try context.save() })
    #expect(error.faults.count == 3 && error.faults.allSatisfy { $0.code == .notUnique && $0.property == "code" })
    for (fault, code) in zip(error.faults, ["a", "n", "b"]) {
      #expect(fault.description.contains("already has the unique value \"\(code)\""), "\(fault)")
    }
  }

  @Test func `a closure gets a new model that has no row yet`() throws {
    try context.setUniquePolicy(
      .resolve { inserted, existing in
        inserted.tags = existing.tags + [existing.title ?? "-"]
        return .upsert
      }, for: Ware.self)
    for (code, title) in [("a", "1"), ("n", "2"), ("n", "3"), ("n", "4")] { context.insert(Ware(code, title: title)) }
    try context.save()
    let wares = try Stock.wares(container)
    #expect(wares["a"]?.tags == ["old"] && wares["n"]?.tags == ["2", "3"] && wares["n"]?.title == "4")
  }

  @Test func `values that are too long for an index are compared completely`() throws {
    let long = String(repeating: "x", count: 3000)
    for (code, count) in [("a", 2), (long + "1", 3), (long + "2", 4), (long + "1", 5)] {
      context.insert(Ware(code, count: count))
    }
    try context.save()
    let wares = try Stock.wares(container)
    #expect(wares.mapValues(\.count) == ["a": 2, "b": 1, long + "1": 5, long + "2": 4])
    #expect(context.lastSave.mergeCount == 2)
  }

  @Test func `a value that the same save gives up is free`() throws {
    let all = try Stock.wares(container)
    let other = try #require(try context.fetch(FetchDescriptor<Ware>()).first { $0.code == "a" })
    let gone = try #require(try context.fetch(FetchDescriptor<Ware>()).first { $0.code == "b" })
    context.uniquePolicy = .keepExisting
    context.insert(Ware("c", count: 7))
    try context.save()
    other.code = "z"
    context.delete(gone)
    for (code, count) in [("c", 8), ("a", 2), ("b", 3), ("a", 4), ("z", 5)] { context.insert(Ware(code, count: count)) }
    try context.save()
    let wares = try Stock.wares(container)
    #expect(wares.mapValues(\.count) == ["a": 2, "b": 3, "c": 7, "z": 1])
    #expect(wares["z"]?.persistentModelID == all["a"]?.persistentModelID)
    #expect(wares["b"]?.persistentModelID != all["b"]?.persistentModelID)
  }

  @Test func `new models of two classes are not merged`() throws {
    let fleet = try Fleet.context()
    fleet.insert(Car("c", weight: 1))
    try fleet.save()
    fleet.insert(Car("c", weight: 2))
    fleet.insert(Truck("t", weight: 3))
    fleet.insert(Truck("t", weight: 4))
    try fleet.save()
    let all = FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.plate)])
    #expect(try ModelContext(fleet.container).fetch(all).map(\.weight) == [2, 4])
    for vehicle in [Car("c"), Truck("n"), Car("n"), Car("t")] { fleet.insert(vehicle) }
    let error = #expect(throws: RoostError.self) { try fleet.save() }
    #expect(error?.faults.count == 2 && error?.code == .notUnique)
    #expect(error?.faults.map(\.property) == ["plate", "plate"])
  }

  @Test(arguments: [false, true]) func `the last of two new models gets the row, if another context has committed`(
    _ isShared: Bool
  ) throws {
    let container = try ModelContainer(for: Raft.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    context.automaticallyMergesChanges = false
    context.insert(Raft("a", nil))
    let quay = Quay("d")
    context.insert(quay)
    try context.save()
    for (code, quay) in [("a", nil), ("p", quay), ("q", quay)] { context.insert(Raft(code, quay)) }
    if isShared {
      let other = ModelContext(container)
      other.insert(Quay("e"))
      try other.save()
      try context.save()
    } else {
      #expect(throws: RoostError.self) { try context.save() }
      context.rollback()
    }
    let rafts = try ModelContext(container).fetch(FetchDescriptor<Raft>(sortBy: [SortDescriptor(\.code)]))
    #expect(rafts.map { $0.code + ($0.quay?.name ?? "-") } == (isShared ? ["a-", "p-", "qd"] : ["a-"]))
  }

  @Test func `a merged model shows the values that its row kept`() throws {
    let container = try ModelContainer(for: Raft.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let maker = ModelContext(container)
    maker.insert(Raft("a", Quay("d")))
    try maker.save()
    let context = ModelContext(container)
    let raft = Raft("a", nil)
    context.insert(raft)
    try context.save()
    #expect(!raft.isDeleted && raft.quay?.name == "d" && raft.quay?.rafts.map(\.code) == ["a"])
  }

  @Test func `a save rereads no model whose row equals it`() throws {
    let (group, ware) = (WareGroup("g"), Ware("c", title: "new", count: 3))
    context.insert(group)
    let merged = Ware("a", title: "merged", group: group)
    let kept = Ware("b", title: nil)
    for one in [ware, merged, kept] { context.insert(one) }
    ware.group = group
    try context.setUniquePolicy(.mergeNonNil, for: Ware.self)
    try context.save()
    let before = context.statistics.faultsFilled + context.statistics.faultsFilledTogether
    #expect(group.name == "g")
    #expect(context.statistics.faultsFilled + context.statistics.faultsFilledTogether == before)
    #expect([ware, merged, kept].map(\.title) == ["new", "merged", "old"])
    #expect(group.wares.map(\.code) == ["c", "a"] || group.wares.map(\.code) == ["a", "c"])
  }
}

@Model final class Raft {
  #Unique<Raft>([\.code], [\.quay])
  var code: String
  @Relationship(inverse: \Quay.rafts) var quay: Quay?

  init(_ code: String, _ quay: Quay?) {
    self.code = code
    self.quay = quay
  }
}

@Model final class Quay {
  var name: String
  var rafts: [Raft] = []

  init(_ name: String) { self.name = name }
}
