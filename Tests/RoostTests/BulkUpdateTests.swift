import Foundation
import Observation
import SwiftData
import Testing

/// Changes all models that a predicate finds, without an object for each.
@Suite struct BulkUpdateTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try Stock.container()
    context = ModelContext(container)
    for number in 0..<10 {
      context.insert(Ware("w\(number)", title: number % 2 == 0 ? "even" : nil, count: number, tags: ["t\(number)"]))
    }
    try context.save()
  }

  private func counts() throws -> [Int] { try Stock.wares(container).sorted { $0.key < $1.key }.map(\.value.count) }

  @Test func `values that a closure sets are stored`() throws {
    let changed = try context.update(model: Ware.self, where: #Predicate { $0.count >= 6 }) {
      $0.count += 100
      $0.title = ($0.title ?? "odd") + "!"
      $0.tags.append("new")
    }
    #expect(changed.count == 4)
    #expect(try counts() == [0, 1, 2, 3, 4, 5, 106, 107, 108, 109])
    let wares = try Stock.wares(container)
    #expect(wares["w6"]?.title == "even!" && wares["w7"]?.title == "odd!" && wares["w5"]?.title == nil)
    #expect(wares["w8"]?.tags == ["t8", "new"] && wares["w1"]?.tags == ["t1"])
    #expect(Set(changed) == Set(wares.values.filter { $0.count >= 100 }.map(\.persistentModelID)))
    // The index contains it too.
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Ware>(predicate: #Predicate { $0.count > 99 })) == 4)
  }

  @Test func `values that are not set are not written`() throws {
    let changed = try context.update(model: Ware.self) { if $0.count == 3 { $0.price = 1 } }
    #expect(changed.count == 1)
    #expect(try context.update(model: Ware.self) { _ in }.isEmpty)
    #expect(try context.update(model: Ware.self, where: #Predicate { $0.count > 1000 }) { $0.count = 1 }.isEmpty)
    #expect(try Stock.wares(container).values.filter { $0.price == 1 }.map(\.code) == ["w3"])
  }

  @Test func `all rows use the same object, unless the program keeps it`() throws {
    var seen: Set<ObjectIdentifier> = []
    try context.update(model: Ware.self) {
      seen.insert(ObjectIdentifier($0))
      $0.price = 2
    }
    #expect(seen.count == 1)
    var kept: [Ware] = []
    try context.update(model: Ware.self, where: #Predicate { $0.count < 4 }) {
      $0.count += 10
      kept.append($0)
    }
    #expect(kept.count == 4 && Set(kept.map(ObjectIdentifier.init)).count == 4)
    #expect(kept.map(\.code).sorted() == ["w0", "w1", "w2", "w3"] && kept.map(\.count).sorted() == [10, 11, 12, 13])
    for ware in kept {
      #expect(ware.isDeleted && ware.modelContext == nil && ware.tags == ["t\(ware.count - 10)"])
    }
    kept[0].count = 5
    let error = #expect(throws: RoostError.self) { try context.save() }
    #expect(error?.code == .deleted)
    try context.save()
    #expect(try counts()[0] == 10)
  }

  /// Before the fix the kept object became the owner of the list, and the context's changes of it
  /// were lost.
  @Test func `a kept model does not take the list of its row`() throws {
    let group = WareGroup("g")
    context.insert(group)
    let wares = try context.fetch(FetchDescriptor<Ware>(sortBy: [SortDescriptor(\.code)]))
    group.wares = [wares[0]]
    try context.save()
    let other = ModelContext(container)
    var kept: WareGroup?
    try other.update(model: WareGroup.self) {
      $0.name = "h"
      kept = $0
    }
    #expect(kept?.isDeleted == true && kept?.wares.map(\.code) == ["w0"])
    let shown = try #require(try other.fetch(FetchDescriptor<WareGroup>()).first)
    #expect(shown !== kept && shown.wares.map(\.code) == ["w0"])
    let more = try #require(
      try other.fetch(FetchDescriptor<Ware>(predicate: #Predicate { $0.code == "w1" })).first)
    shown.wares.append(more)
    #expect(kept?.wares.count == 1)
    try other.save()
    let stored = try #require(try ModelContext(container).fetch(FetchDescriptor<WareGroup>()).first)
    #expect(stored.name == "h" && stored.wares.map(\.code) == ["w0", "w1"])
  }

  /// Way 0 keeps a ware of an update, way 1 one of a batch that was merged.
  @Test(arguments: [false, true]) func `a kept model takes no relationship of its row`(isBatch: Bool) throws {
    let wares = try context.fetch(FetchDescriptor<Ware>(sortBy: [SortDescriptor(\.code)]))
    let (label, seal) = (WareLabel("l"), Seal(1))
    context.insert(label)
    wares[0].labels = [label]
    wares[0].seal = seal
    try context.save()
    let other = ModelContext(container)
    var kept: Ware?
    if isBatch {
      let new = Ware("w0", price: 1, count: 1)
      try other.insert(batch: [new])
      kept = new
    } else {
      try other.update(model: Ware.self, where: #Predicate { $0.code == "w0" }) {
        $0.count = 5
        kept = $0
      }
      #expect(kept?.labels.map(\.text) == ["l"] && kept?.seal?.number == 1)
    }
    _ = (kept?.labels.count, kept?.seal?.number)
    let shown = try #require(
      try other.fetch(FetchDescriptor<Ware>(predicate: #Predicate { $0.code == "w0" })).first)
    #expect(shown !== kept && shown.labels.map(\.text) == ["l"] && shown.seal?.number == 1)
    shown.labels.append(WareLabel("m"))
    shown.seal = Seal(2)
    try other.save()
    let stored = try #require(
      try ModelContext(container).fetch(FetchDescriptor<Ware>(predicate: #Predicate { $0.code == "w0" })).first)
    #expect(stored.labels.map(\.text) == ["l", "m"] && stored.seal?.number == 2)
  }

  @Test func `a kept model is no member of a list`() throws {
    let group = WareGroup("g")
    context.insert(group)
    let wares = try context.fetch(FetchDescriptor<Ware>(sortBy: [SortDescriptor(\.code)]))
    group.wares = [wares[0], wares[1], wares[2]]
    try context.save()
    var kept: Ware?
    try context.update(model: Ware.self, where: #Predicate { $0.code == "w1" }) {
      $0.count = 5
      kept = $0
    }
    group.wares = [wares[2], try #require(kept), wares[0]]
    // Before the fix "w1" left the list without an error.
    let error = #expect(throws: RoostError.self) { try context.save() }
    #expect(error?.code == .deleted)
    context.rollback()
    #expect(group.wares.map(\.code) == ["w0", "w1", "w2"])
  }

  @Test func `a model knows its identifier during the call`() throws {
    var names: [PersistentIdentifier] = []
    let changed = try context.update(model: Ware.self) {
      names.append($0.persistentModelID)
      $0.version += 1
    }
    #expect(names == Array(changed))
    #expect(names.allSatisfy { $0.storeIdentifier != nil })
  }

  @Test func `a closure that throws undoes everything`() throws {
    struct Stop: Error {}
    var left = 5
    #expect(throws: Stop.self) {
      try context.update(model: Ware.self) {
        $0.count = 77
        left -= 1
        if left == 0 { throw Stop() }
      }
    }
    #expect(try counts() == Array(0..<10))
    try context.update(model: Ware.self) { $0.count = 78 }
    #expect(try counts() == Array(repeating: 78, count: 10))
  }

  // MARK: Relationships

  @Test func `to-one relationships can be set and read`() throws {
    let (tools, toys) = (WareGroup("tools"), WareGroup("toys"))
    context.insert(tools)
    context.insert(toys)
    try context.save()
    #expect(tools.wares.isEmpty)
    try context.update(model: Ware.self) { $0.group = $0.count < 7 ? tools : toys }
    #expect(tools.wares.count == 7 && toys.wares.count == 3)
    try context.update(model: Ware.self, where: #Predicate { $0.group?.name == "toys" }) {
      if let group = $0.group { $0.title = group.name + " \(group.wares.count)" }
      if $0.count == 9 { $0.group = nil }
    }
    #expect(toys.wares.map(\.count).sorted() == [7, 8])
    let wares = try Stock.wares(container)
    #expect(wares["w9"]?.title == "toys 3" && wares["w9"]?.group == nil && wares["w8"]?.group?.name == "toys")
  }

  @Test func `a to-many relationship can be read but not changed`() throws {
    let ware = try #require(try context.fetch(FetchDescriptor<Ware>(predicate: #Predicate { $0.code == "w4" })).first)
    ware.parts = [Part("a"), Part("b")]
    ware.labels = [WareLabel("l")]
    ware.seal = Seal(1)
    try context.save()
    try context.update(model: Ware.self) { $0.count = $0.parts.count + $0.labels.count + ($0.seal?.number ?? 0) }
    #expect(try counts() == [0, 0, 0, 0, 4, 0, 0, 0, 0, 0])
    for call in 0..<4 {
      let error = #expect(throws: RoostError.self) {
        try context.update(model: Ware.self) {
          $0.count = 50
          switch call {
          case 0: $0.parts.append(Part("c"))
          case 1: $0.labels = []
          case 2: $0.parts = []
          default: $0.seal = nil
          }
        }
      }
      #expect(error?.code == .badValue)
      let property = ["parts", "labels", "parts", "seal"][call]
      #expect(error?.faults.first?.property == property && error?.description.contains("fetch the models") == true)
    }
    #expect(try counts()[4] == 4)
    #expect(ware.parts.map(\.name) == ["a", "b"])
  }

  @Test func `a relationship can reference only stored models of this context`() throws {
    let other = ModelContext(container)
    let foreign = WareGroup("foreign")
    other.insert(foreign)
    try other.save()
    let waiting = WareGroup("waiting")
    context.insert(waiting)
    let gone = WareGroup("gone")
    other.insert(gone)
    other.delete(gone)
    let cases: [(WareGroup, RoostError.Code)] = [
      (foreign, .foreign), (waiting, .pendingChanges), (WareGroup("nobody's"), .foreign), (gone, .foreign),
    ]
    for (group, code) in cases {
      let error = #expect(throws: RoostError.self) { try context.update(model: Ware.self) { $0.group = group } }
      #expect(error?.code == code && error?.faults.first?.property == "group")
    }
    #expect(try Stock.wares(container).values.allSatisfy { $0.group == nil })
    try context.save()
    try context.update(model: Ware.self) { $0.group = waiting }
    #expect(try Stock.wares(container).values.allSatisfy { $0.group?.name == "waiting" })
  }

  @Test func `the minimum number of members is checked`() throws {
    let context = ModelContext(try makeFirms())
    let (kiel, bonn) = (Crew("Kiel", 1, sailors: 3), Crew("Bonn", 1, sailors: 2))
    context.insert(kiel)
    context.insert(bonn)
    try context.save()
    let error = #expect(throws: RoostError.self) {
      try context.update(model: Sailor.self, where: #Predicate { $0.crew?.town == "Bonn" }) { $0.crew = kiel }
    }
    #expect(error?.code == .count)
    #expect(kiel.sailors.count == 3 && bonn.sailors.count == 2)
    var first = true
    try context.update(model: Sailor.self, where: #Predicate { $0.crew?.town == "Kiel" }) {
      if first { $0.crew = bonn }
      first = false
    }
    #expect(kiel.sailors.count == 2 && bonn.sailors.count == 3)
  }

  // MARK: Unique values

  @Test func `unique values may move from row to row`() throws {
    // Each takes the value of the next one.
    try context.update(model: Ware.self) { ware in
      let number = (Int(ware.code.dropFirst()) ?? 0) + 1
      ware.code = "w\(number)"
      ware.title = "was \(number - 1)"
    }
    let wares = try Stock.wares(container)
    #expect(Set(wares.keys) == Set((1...10).map { "w\($0)" }))
    for number in 1...10 { #expect(wares["w\(number)"]?.count == number - 1) }
    #expect(wares["w10"]?.title == "was 9")
  }

  @Test func `two models that take the same value are named`() throws {
    let error = #expect(throws: RoostError.self) {
      try context.update(model: Ware.self, where: #Predicate { $0.count == 3 }) { $0.code = "w7" }
    }
    let wares = try Stock.wares(container)
    #expect(error?.code == .notUnique && error?.faults.first?.property == "code")
    #expect(error?.faults.first?.model == wares["w3"]?.persistentModelID)
    #expect(error?.faults.first?.others == [try #require(wares["w7"]).persistentModelID])
    // An exchange of values is refused, as in a save.
    let swap = #expect(throws: RoostError.self) {
      try context.update(model: Ware.self, where: #Predicate { $0.count < 2 }) {
        $0.code = $0.code == "w0" ? "w1" : "w0"
      }
    }
    #expect(swap?.code == .notUnique && swap?.faults.count == 2)
    #expect(try counts() == Array(0..<10))
  }

  // MARK: Notifications

  @Test func `models of every context show it`() throws {
    let other = ModelContext(container)
    let here = try context.fetch(FetchDescriptor<Ware>(sortBy: [SortDescriptor(\.count)]))
    let there = try other.fetch(FetchDescriptor<Ware>(sortBy: [SortDescriptor(\.count)]))
    try context.update(model: Ware.self) { $0.count += 5 }
    #expect(here.map(\.count) == Array(5..<15))
    _ = try other.fetchCount(FetchDescriptor<Ware>())
    #expect(there.map(\.count) == Array(5..<15))
    #expect(!context.hasChanges && !other.hasChanges)
  }

  @Test func `a notification tells the identifiers`() throws {
    nonisolated(unsafe) var told: [[PersistentIdentifier]] = []
    let token = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) {
      told.append($0.userInfo?["updated"] as? [PersistentIdentifier] ?? [])
      told.append($0.userInfo?["inserted"] as? [PersistentIdentifier] ?? [])
    }
    defer { NotificationCenter.default.removeObserver(token) }
    let changed = try context.update(model: Ware.self, where: #Predicate { $0.count > 7 }) { $0.count = 0 }
    #expect(told == [Array(changed), []])
    try context.update(model: Ware.self, where: #Predicate { $0.count > 7 }) { $0.count = 0 }
    #expect(told.count == 2)
  }

  // MARK: Unsaved changes

  @Test func `unsaved changes to models that would be updated prevent it`() throws {
    let all = try context.fetch(FetchDescriptor<Ware>(sortBy: [SortDescriptor(\.count)]))
    func refused(_ text: String) {
      let error = #expect(throws: RoostError.self, "\(text)") {
        try context.update(model: Ware.self, where: #Predicate { $0.count > 5 }) { $0.price += 1 }
      }
      #expect(error?.code == .pendingChanges, "\(text)")
      #expect(context.hasChanges)
    }
    all[7].title = "changed"
    refused("the row is meant")
    context.rollback()
    all[2].count = 9
    refused("the model is meant, and its row is not")
    context.rollback()
    all[8].count = 0
    refused("the row is meant, and the model is not any more")
    context.rollback()
    context.delete(all[9])
    refused("it is to be deleted")
    context.rollback()
    context.insert(Ware("new", count: 50))
    refused("a new model is meant")
    #expect(try Stock.wares(container).values.allSatisfy { $0.price == 0 })
    context.rollback()
    // Other unsaved changes stay.
    all[1].title = "waits"
    context.insert(Ware("new", count: 1))
    context.delete(all[0])
    try context.update(model: Ware.self, where: #Predicate { $0.count > 5 }) { $0.price += 1 }
    #expect(context.hasChanges && all[1].title == "waits" && all[7].price == 1)
    #expect(try Stock.wares(container)["w1"]?.title == nil)
    try context.save()
    let wares = try Stock.wares(container)
    #expect(wares["w1"]?.title == "waits" && wares["new"] != nil && wares["w0"] == nil && wares["w8"]?.price == 1)
  }

  @Test func `a predicate that reads unsaved changes is refused`() throws {
    let group = WareGroup("tools")
    context.insert(group)
    try context.save()
    try context.update(model: Ware.self) { $0.group = group }
    group.name = "toys"
    let error = #expect(throws: RoostError.self) {
      try context.update(model: Ware.self, where: #Predicate { $0.group?.name == "toys" }) { $0.count = 0 }
    }
    #expect(error?.code == .pendingChanges)
    try context.update(model: Ware.self, where: #Predicate { $0.count < 3 }) { $0.count = -1 }
    #expect(try counts().filter { $0 < 0 }.count == 3)
  }

  @Test func `unsaved changes of another context are merged by property`() throws {
    let other = ModelContext(container)
    let there = try #require(try other.fetch(FetchDescriptor<Ware>(predicate: #Predicate { $0.code == "w5" })).first)
    there.title = "there"
    try context.update(model: Ware.self) { $0.count += 1 }
    try other.save()
    #expect(try Stock.wares(container)["w5"].map { [$0.title, "\($0.count)"] } == ["there", "6"])
    other.mergePolicy = .error
    there.count = 99
    try context.update(model: Ware.self) { $0.count += 1 }
    let error = #expect(throws: RoostError.self) { try other.save() }
    #expect(error?.code == .conflict)
  }

  // MARK: Bad use

  @Test func `a closure cannot write in another way`() throws {
    let error = #expect(throws: RoostError.self) {
      try context.update(model: Ware.self) { _ in try context.update(model: Ware.self) { $0.count = 0 } }
    }
    #expect(error?.code == .store)
    let other = #expect(throws: RoostError.self) {
      try context.update(model: Ware.self) { _ in
        context.insert(WareGroup("inside"))
        try context.save()
      }
    }
    #expect(other?.code == .store)
    context.rollback()
    let unknown = #expect(throws: RoostError.self) { try context.update(model: Artist.self) { $0.name = "" } }
    #expect(unknown?.code == .unknownModel)
    #expect(try counts() == Array(0..<10))
  }

  @Test func `a model of a row is not inserted or deleted`() throws {
    let error = #expect(throws: RoostError.self) {
      try context.update(model: Ware.self, where: #Predicate { $0.count == 1 }) { context.insert($0) }
    }
    #expect(error?.code == .badValue && !context.hasChanges)
    let other = #expect(throws: RoostError.self) {
      try context.update(model: Ware.self, where: #Predicate { $0.count == 1 }) { context.delete($0) }
    }
    #expect(other?.code == .badValue)
    try context.save()
    #expect(try counts() == Array(0..<10))
  }

  @Test func `a predicate that the engine does not know is tested on each model`() throws {
    let context = ModelContext(try makeContainer())
    for year in 1980..<2000 { context.insert(Album("\(year)", year: year)) }
    try context.save()
    let changed = try context.update(model: Album.self, where: #Predicate { $0.decade == 199 && $0.year < 1995 }) {
      $0.price = 9
    }
    #expect(changed.count == 5)
    #expect(
      try ModelContext(context.container).fetchCount(FetchDescriptor<Album>(predicate: #Predicate { $0.price == 9 }))
        == 5)
  }

  @Test func `a family is changed by class`() throws {
    let context = try Fleet.context()
    context.insert(Vehicle("v", weight: 1))
    context.insert(Car("c", weight: 2))
    context.insert(Truck("t", weight: 3))
    try context.save()
    let changed = try context.update(model: Vehicle.self, where: #Predicate { $0.weight > 1 }) {
      $0.weight += 10
      if let car = $0 as? Car { car.doors = 2 }
      if let truck = $0 as? Truck { truck.spot = Spot(street: "s", number: 1) }
    }
    #expect(changed.map(\.entityName).sorted() == ["Car", "Truck"])
    let other = ModelContext(context.container)
    #expect(try other.fetch(FetchDescriptor<Car>()).map(\.doors) == [2])
    #expect(try other.fetch(FetchDescriptor<Truck>()).map(\.spot) == [Spot(street: "s", number: 1)])
    #expect(try other.fetch(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.plate)])).map(\.weight) == [12, 13, 1])
    try context.update(model: Vehicle.self, includeSubclasses: false) { $0.weight = 0 }
    #expect(try other.fetch(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.plate)])).map(\.weight) == [12, 13, 0])
  }

  @Test func `values that are stored outside their rows are read and written`() throws {
    let long = String(repeating: "é", count: 40_000)
    try context.update(model: Ware.self, where: #Predicate { $0.count == 2 }) { $0.title = long }
    #expect(try Stock.wares(container)["w2"]?.title == long)
    try context.update(model: Ware.self, where: #Predicate { $0.count == 2 }) {
      $0.price = Double($0.title?.count ?? 0)
    }
    #expect(try Stock.wares(container)["w2"].map { [$0.title ?? "", "\($0.price)"] } == [long, "40000.0"])
    try context.update(model: Ware.self, where: #Predicate { $0.count == 2 }) { $0.title = "short" }
    #expect(try Stock.wares(container)["w2"]?.title == "short")
  }

  @Test func `the history has the author, and a relaxed context stays relaxed`() throws {
    context.durability = .relaxed
    context.author = "bulk"
    try context.update(model: Ware.self) { $0.count = 1 }
    #expect(try counts() == Array(repeating: 1, count: 10))
    context.author = String(repeating: "x", count: 2000)
    #expect(throws: RoostError.self) { try context.update(model: Ware.self) { $0.count = 2 } }
    #expect(try counts() == Array(repeating: 1, count: 10))
  }
}

@MainActor @Suite struct BulkMainContextTests {
  @Test func `the main context and its observers are notified`() throws {
    let main = try Stock.container().mainContext
    main.insert(Ware("a"))
    try main.save()
    let ware = try #require(try main.fetch(FetchDescriptor<Ware>()).first)
    nonisolated(unsafe) var isTold = false
    withObservationTracking {
      _ = ware.count
    } onChange: {
      isTold = true
    }
    try main.update(model: Ware.self) { $0.count = 44 }
    #expect(isTold && ware.count == 44)
  }
}
