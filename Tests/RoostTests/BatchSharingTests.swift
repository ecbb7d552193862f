import Foundation
import SwiftData
import Testing

/// Models that several models of a batch reference, and closures that change inserted models.
@Suite struct BatchSharingTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try Stock.container()
    context = ModelContext(container)
  }

  private func count<Model: PersistentModel>(_ type: Model.Type) throws -> Int {
    try ModelContext(container).fetchCount(FetchDescriptor<Model>())
  }

  // MARK: Once

  @Test func `a model that several reference is inserted once`() throws {
    let label = WareLabel("l")
    let names = try context.insert(
      batch: (0..<3).map { number -> Ware in
        let ware = Ware("\(number)")
        ware.labels = [label]
        return ware
      })
    #expect(try count(WareLabel.self) == 1 && count(Ware.self) == 3)
    let found = try #require(try ModelContext(container).fetch(FetchDescriptor<WareLabel>()).first)
    #expect(found.wares.map(\.code) == ["0", "1", "2"] && found.wares.map(\.persistentModelID) == Array(names))
    // A reference with a unique value, with each policy.
    for (number, policy) in [ModelContext.UniquePolicy.throw, .upsert, .keepExisting].enumerated() {
      context.uniquePolicy = policy
      let group = WareGroup("g\(number)")
      try context.insert(batch: (0..<4).lazy.map { Ware("\(number) \($0)", group: group) })
      #expect(context.lastSave.mergeCount == 0)
    }
    #expect(try count(WareGroup.self) == 3)
    let groups = try ModelContext(container).fetch(FetchDescriptor<WareGroup>(sortBy: [SortDescriptor(\.name)]))
    #expect(groups.map { $0.wares.map(\.code) } == (0..<3).map { group in (0..<4).map { "\(group) \($0)" } })
  }

  @Test func `a model that is given twice is inserted once`() throws {
    let (one, two) = (Part("one"), Part("two"))
    let names = try context.insert(batch: [one, one, two, one])
    #expect(try count(Part.self) == 2)
    #expect(names[0] == names[1] && names[0] == names[3] && names[0] != names[2])
    let (a, b) = (Ware("a"), Ware("b"))
    let group = WareGroup("g")
    group.wares = [b, a]
    context.uniquePolicy = .throw
    let wares = try context.insert(batch: [a, b, a])
    // Nothing tells that the members of a list belong to it, as long as no model references the
    // owner.
    #expect(try count(Ware.self) == 2 && wares[0] == wares[2])
    let both = WareGroup("both")
    let (c, d) = (Ware("c"), Ware("d"))
    both.wares = [d, c]
    (c.group, d.group) = (both, both)
    let more = try context.insert(batch: [c, d])
    #expect(try count(Ware.self) == 4 && count(WareGroup.self) == 1 && more.count == 2)
    let found = try ModelContext(container).fetch(FetchDescriptor<WareGroup>())
    #expect(found.first?.wares.map(\.code) == ["d", "c"])
    #expect(found.first?.wares.map(\.persistentModelID) == [more[1], more[0]])
    // It has no context afterwards, as before.
    #expect(both.modelContext == nil && c.modelContext == nil && c.persistentModelID.storeIdentifier == nil)
  }

  @Test func `later models reference an earlier one`() throws {
    let ware = Ware("a")
    let parts = (0..<3).map { number -> Part in
      let part = Part("p\(number)")
      part.ware = ware
      return part
    }
    let seal = Seal(1)
    seal.ware = ware
    _ = try context.insert(batch: parts)
    #expect(try count(Part.self) == 3 && count(Ware.self) == 1)
    // A second call does not know the first one: its unique value decides.
    _ = try context.insert(batch: [seal])
    #expect(try count(Ware.self) == 1)
    let found = try #require(try Stock.wares(container)["a"])
    #expect(found.seal?.number == 1 && found.parts.map(\.name) == ["p0", "p1", "p2"])
  }

  @Test func `references to a merged model refer to its row`() throws {
    try context.insert(batch: [WareGroup("other"), WareGroup("g")])
    let group = WareGroup("g")
    let label = WareLabel("l")
    context.uniquePolicy = .keepExisting
    try context.insert(
      batch: (0..<3).map { number -> Ware in
        let ware = Ware("\(number)", group: group)
        ware.labels = [label]
        return ware
      })
    #expect(context.lastSave.mergeCount == 1)
    #expect(try count(WareGroup.self) == 2 && count(WareLabel.self) == 1)
    #expect(try Stock.wares(container).values.allSatisfy { $0.group?.name == "g" && $0.labels.count == 1 })
  }

  // MARK: Lists

  @Test func `stored and new members have the order of their list`() throws {
    let stored = (0..<3).map { Ware("s\($0)") }
    for ware in stored { context.insert(ware) }
    try context.save()
    let group = WareGroup("g")
    group.wares = [stored[1], Ware("n0"), stored[0], Ware("n1")]
    try context.insert(batch: [group])
    let found = try ModelContext(container).fetch(FetchDescriptor<WareGroup>())
    #expect(found[0].wares.map(\.code) == ["s1", "n0", "s0", "n1"])
    let again = WareGroup("h")
    again.wares = [Ware("n2"), Ware("s2")]
    try context.insert(batch: [again])
    let other = try ModelContext(container).fetch(
      FetchDescriptor<WareGroup>(predicate: #Predicate { $0.name == "h" }))
    #expect(other[0].wares.map(\.code) == ["n2", "s2"])
    let label = WareLabel("l")
    label.wares = [stored[2], Ware("n3"), stored[0]]
    try context.insert(batch: [label])
    #expect(try ModelContext(container).fetch(FetchDescriptor<WareLabel>())[0].wares.map(\.code) == ["s2", "n3", "s0"])
  }

  @Test(arguments: [0, 1, 2, 3, 4], [false, true])
  func `a written list keeps its order if its members name it too`(_ first: Int, _ isBatch: Bool) throws {
    let label = WareLabel("l")
    let wares = (0..<5).map { Ware("\($0)") }
    label.wares = [3, 1, 4, 0].map { wares[$0] }
    for ware in wares { ware.labels = [label] }
    if isBatch {
      try context.insert(batch: [wares[first]])
    } else {
      context.insert(wares[first])
      #expect(label.wares.map(\.code) == ["3", "1", "4", "0"] || label.wares.map(\.code) == ["3", "1", "4", "0", "2"])
      try context.save()
    }
    // Members that are in no written list follow the others, if they were brought along.
    let found = try ModelContext(container).fetch(FetchDescriptor<WareLabel>())[0].wares.map(\.code)
    #expect(found == ["3", "1", "4", "0"] + (first == 2 ? ["2"] : []))
  }

  // MARK: Closures

  @Test func `changes that a closure makes to the stored model are written`() throws {
    try context.insert(batch: [Ware("a", count: 1), Ware("b", count: 2, group: WareGroup("g"))])
    try context.setUniquePolicy(
      .resolve { _, existing in
        existing.count += 10
        existing.title = "seen"
        if existing.code == "b" { existing.group = nil }
        return .keepExisting
      }, for: Ware.self)
    try context.insert(batch: [Ware("a"), Ware("b"), Ware("a")])
    let label = WareLabel("l")
    label.wares = [Ware("a")]
    try context.insert(batch: [label])
    let wares = try Stock.wares(container)
    #expect(wares["a"]?.count == 31 && wares["a"]?.title == "seen" && wares["b"]?.count == 12)
    #expect(wares["b"]?.group == nil && wares["a"]?.labels.count == 1)
    // If it gives up its value, the new one can be stored.
    try context.setUniquePolicy(
      .resolve { _, existing in
        existing.code += "-old"
        return .upsert
      }, for: Ware.self)
    let names = try context.insert(batch: [Ware("a", count: 5)])
    #expect(
      try Stock.wares(container)["a"]?.persistentModelID == names[0] && Stock.wares(container)["a-old"]?.count == 31)
    // If it takes another model's value, the save is refused.
    try context.setUniquePolicy(
      .resolve { _, existing in
        existing.code = "b"
        return .upsert
      }, for: Ware.self)
    let error = #expect(throws: RoostError.self) { try context.insert(batch: [Ware("a", count: 6)]) }
    #expect(error?.code == .notUnique)
    #expect(try Stock.wares(container)["a"]?.count == 5)
  }

  @Test func `models that a closure adds to the inserted one are inserted too`() throws {
    try context.insert(batch: [Ware("a"), Ware("b")])
    try context.setUniquePolicy(
      .resolve { inserted, _ in
        inserted.group = WareGroup("x")
        inserted.parts.append(Part("p"))
        return .upsert
      }, for: Ware.self)
    try context.insert(batch: [Ware("a")])
    let label = WareLabel("l")
    label.wares = [Ware("b")]
    try context.insert(batch: [label])
    let wares = try Stock.wares(container)
    for code in ["a", "b"] { #expect(wares[code]?.group?.name == "x" && wares[code]?.parts.count == 1, "\(code)") }
    #expect(try count(WareGroup.self) == 1 && count(Part.self) == 2)
  }

  @Test func `a model with a new value gets its own row, also for references to it`() throws {
    try context.insert(batch: [WareGroup("g")])
    try context.setUniquePolicy(
      .resolve { inserted, _ in
        inserted.name += "2"
        return .upsert
      }, for: WareGroup.self)
    try context.insert(batch: [Ware("x", group: WareGroup("g"))])
    #expect(try Stock.wares(container)["x"]?.group?.name == "g2")
    // The closure is called again if the new value is another model's.
    try context.insert(batch: [Ware("y", group: WareGroup("g"))])
    #expect(try Stock.wares(container)["y"]?.group?.name == "g22")
    let names = try context.insert(batch: [WareGroup("g")])
    #expect(
      try ModelContext(container).fetch(FetchDescriptor<WareGroup>()).map(\.name).sorted() == [
        "g", "g2", "g22", "g222",
      ])
    #expect(names.count == 1 && context.lastSave.mergeCount == 0)
    // A closure that never finds a free value is stopped.
    try context.setUniquePolicy(
      .resolve { inserted, _ in
        inserted.name = inserted.name == "g" ? "g2" : "g"
        return .upsert
      }, for: WareGroup.self)
    for models in [[WareGroup("g")], [WareGroup("g"), WareGroup("g2")]] {
      let error = #expect(throws: RoostError.self) { try context.insert(batch: models) }
      #expect(error?.code == .conflict, "\(error?.description ?? "")")
    }
    let error = #expect(throws: RoostError.self) { try context.insert(batch: [Ware("z", group: WareGroup("g"))]) }
    #expect(error?.code == .conflict)
    #expect(try count(WareGroup.self) == 4 && count(Ware.self) == 2)
  }

  // MARK: Partners

  @Test(arguments: [true, false]) func `the partner of a merged model moves with it or stays`(_ isBatch: Bool) throws {
    func put(_ number: Int, _ policy: ModelContext.UniqueRule<Ware>, fromSeal: Bool = false) throws {
      try context.setUniquePolicy(policy, for: Ware.self)
      let (ware, seal) = (Ware("a", version: number), Seal(number))
      if fromSeal { seal.ware = ware } else { ware.seal = seal }
      if isBatch {
        if fromSeal { try context.insert(batch: [seal]) } else { try context.insert(batch: [ware]) }
      } else {
        if fromSeal { context.insert(seal) } else { context.insert(ware) }
        try context.save()
      }
    }
    func seal() throws -> Int? { try Stock.wares(container)["a"]?.seal?.number }
    try put(1, .upsert)
    var last = 1
    for fromSeal in [false, true] {
      for policy: ModelContext.UniqueRule<Ware> in [
        .keepExisting, .fields(\.count), .resolve { _, _ in .keepExisting },
      ] {
        try put(100 + last, policy, fromSeal: fromSeal)
        #expect(try seal() == last)
      }
      for policy: ModelContext.UniqueRule<Ware> in [
        .upsert, .mergeNonNil, .fields(\.seal), .newest(by: \.version), .resolve { _, _ in .upsert },
      ] {
        last += 1
        try put(last, policy, fromSeal: fromSeal)
        #expect(try seal() == last)
      }
      // A seal that is older.
      try put(0, .newest(by: \.version), fromSeal: fromSeal)
      #expect(try seal() == last)
    }
    // All others have no ware.
    let seals = try ModelContext(container).fetch(FetchDescriptor<Seal>())
    #expect(seals.filter { $0.ware != nil }.map(\.number) == [last] && seals.count == 19)
  }
}
