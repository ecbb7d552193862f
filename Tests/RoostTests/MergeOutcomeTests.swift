import Foundation
import SwiftData
import Testing

/// What a save stores if it merges a new ware into a stored one, and the stored one changes in the same
/// save. `CollisionPlay` and `PairPlay` test random changes.
@Suite struct MergeOutcomeTests {
  /// Where the stored ware is when a closure gets it.
  enum Way: CaseIterable { case loaded, unloaded, unsaved, child, batch, batchWithOthers }
  enum Choice: CaseIterable { case keepExisting, upsert, mergeNonNil }

  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try Stock.container()
    context = ModelContext(container)
  }

  /// A ware with two parts, a label and a seal.
  private func put(_ code: String, _ number: Int, into context: ModelContext) {
    let (ware, label) = (Ware(code, title: "old", count: 1, version: 4), WareLabel("l\(number)"))
    context.insert(ware)
    context.insert(label)
    ware.seal = Seal(number)
    ware.parts = [Part("p\(number)"), Part("q\(number)")]
    ware.labels = [label]
  }

  /// Stores ware a with seal 1, and models that it may get.
  private func fill(_ context: ModelContext, withWare: Bool = true) throws {
    if withWare { put("a", 1, into: context) }
    for model in [WareGroup("g"), WareLabel("l9"), Seal(9), Part("p9")] as [any PersistentModel] {
      context.insert(model)
    }
    try context.save()
  }

  private func lines() throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<Ware>(sortBy: [SortDescriptor(\.code)])).map { ware in
      "\(ware.code) \(ware.title ?? "-") \(ware.count) \(ware.version) \(ware.group?.name ?? "-") "
        + "\(ware.seal?.number ?? 0) \(ware.parts.map(\.name)) \(ware.labels.map(\.text).sorted())"
    }
  }

  /// Inserts a second ware a, for which a closure decides.
  private func collide(
    _ way: Way, _ choice: Choice, _ change: @escaping (_ inserted: Ware, _ existing: Ware) throws -> Void
  ) throws {
    try fill(ModelContext(container), withWare: way != .unsaved)
    var kept: [Ware] = []
    if way == .loaded { kept = try context.fetch(FetchDescriptor<Ware>()) }
    if way == .unsaved { put("a", 1, into: context) }
    try context.setUniquePolicy(
      .resolve { inserted, existing in
        try change(inserted, existing)
        return choice == .keepExisting ? .keepExisting : choice == .upsert ? .upsert : .mergeNonNil
      }, for: Ware.self)
    let new = Ware("a", count: 5)
    switch way {
    case .loaded, .unloaded, .unsaved:
      context.insert(new)
      try context.save()
    case .child:
      let child = try ModelContext(parent: context)
      child.insert(new)
      try child.save()
      try context.save()
    case .batch: try context.insert(batch: [new])
    case .batchWithOthers:
      new.parts = [Part("new")]
      try context.insert(batch: [new])
    }
    #expect(!context.hasChanges)
    withExtendedLifetime(kept) {}
  }

  @Test(arguments: Way.allCases, Choice.allCases) func `values that a closure sets in both are merged`(
    way: Way, choice: Choice
  ) throws {
    try collide(way, choice) { inserted, existing in
      (existing.title, existing.version) = ("closure", 7)
      inserted.price = 3
    }
    let ware = try #require(try Stock.wares(container)["a"])
    #expect(ware.title == (choice == .upsert ? nil : "closure"))
    #expect(ware.count == (choice == .keepExisting ? 1 : 5) && ware.version == (choice == .keepExisting ? 7 : 0))
    #expect(ware.price == (choice == .keepExisting ? 0 : 3))
  }

  /// Before the fix, a label that the closure appended was lost.
  @Test(arguments: Way.allCases, 0..<7) func `relationships that a closure changes are stored or refused`(
    way: Way, change: Int
  ) throws {
    for choice in Choice.allCases {
      let test = try MergeOutcomeTests()
      var isRefused = false
      func run(_ change: @escaping (Ware, ModelContext) throws -> Void) throws {
        do { try test.collide(way, choice) { _, existing in try change(existing, test.context) } } catch let error
          as RoostError where error.code == .badValue
        { isRefused = true }
      }
      func find<Model: PersistentModel>(_ context: ModelContext, _ predicate: Predicate<Model>) throws -> Model {
        try #require(try context.fetch(FetchDescriptor(predicate: predicate)).first)
      }
      var wanted = (group: "-", seal: "1", parts: ["p1", "q1"], labels: ["l1"])
      switch change {
      case 0:
        wanted.group = "g"
        try run { ware, context in ware.group = try find(context, #Predicate<WareGroup> { $0.name == "g" }) }
      case 1:
        wanted.seal = "9"
        try run { ware, context in ware.seal = try find(context, #Predicate<Seal> { $0.number == 9 }) }
      case 2:
        wanted.labels = ["l1", "l9"]
        try run { ware, context in ware.labels.append(try find(context, #Predicate<WareLabel> { $0.text == "l9" })) }
      case 3:
        wanted.labels = []
        try run { ware, _ in ware.labels.removeAll() }
      case 4:
        wanted.parts = ["p1", "q1", "p9"]
        try run { ware, context in ware.parts.append(try find(context, #Predicate<Part> { $0.name == "p9" })) }
      case 5:
        wanted.parts = ["q1"]
        try run { ware, _ in ware.parts.removeFirst() }
      default:
        wanted.parts = ["q1", "p1"]
        try run { ware, _ in ware.parts.reverse() }
      }
      // A batch shows a row. Only its own references can be set.
      let isBatch = way == .batch || way == .batchWithOthers
      #expect(isRefused == (isBatch && change > 0), "\(choice)")
      if isRefused { continue }
      if way == .batchWithOthers { wanted.parts.append("new") }
      let line = try #require(try test.lines().first)
      let end = "\(wanted.group) \(wanted.seal) \(wanted.parts) \(wanted.labels)"
      #expect(line.hasSuffix(end), "\(choice): \(line), not \(end)")
    }
  }

  // MARK: Partners

  /// Before the fix, ware b kept the new seal, and seal 1 lost its ware.
  @Test func `a merged ware takes its partner after the stored one got another`() throws {
    put("a", 1, into: context)
    put("b", 2, into: context)
    try context.save()
    let b = try #require(try context.fetch(FetchDescriptor<Ware>(predicate: #Predicate { $0.code == "b" })).first)
    b.seal = Seal(106)
    let new = Ware("b")
    context.insert(new)
    new.seal = try context.fetch(FetchDescriptor<Seal>(predicate: #Predicate { $0.number == 1 })).first
    try context.save()
    #expect(b.seal?.number == 1)
    #expect(try Stock.wares(container).mapValues { $0.seal?.number } == ["a": nil, "b": 1])
    let alone = FetchDescriptor<Seal>(predicate: #Predicate { $0.ware == nil })
    #expect(try ModelContext(container).fetchCount(alone) == 2)
  }

  /// As a member of a list, unless the stored ware has a seal.
  @Test(arguments: [false, true]) func `a new partner of a dropped ware goes to the stored one`(hasSeal: Bool) throws {
    let stored = Ware("a")
    context.insert(stored)
    if hasSeal { stored.seal = Seal(1) }
    try context.save()
    context.uniquePolicy = .keepExisting
    let (new, seal) = (Ware("a"), Seal(7))
    context.insert(new)
    new.seal = seal
    try context.save()
    #expect(stored.seal?.number == (hasSeal ? 1 : 7) && seal.ware === (hasSeal ? nil : stored))
    #expect(try Stock.wares(container)["a"]?.seal?.number == (hasSeal ? 1 : 7))
  }

  /// The program sets the seal of a stored ware, and then of a new one that the save drops.
  @Test(arguments: ["a", "b"], [false, true]) func `a ware gets its new partner back from a dropped one`(
    code: String, isSealSet: Bool
  ) throws {
    put("a", 1, into: context)
    context.insert(Ware("b"))
    context.insert(Seal(9))
    try context.save()
    context.uniquePolicy = .keepExisting
    let wares = try context.fetch(FetchDescriptor<Ware>(sortBy: [SortDescriptor(\.code)]))
    let seal = try #require(try context.fetch(FetchDescriptor<Seal>(predicate: #Predicate { $0.number == 9 })).first)
    wares[0].seal = seal
    let new = Ware(code)
    context.insert(new)
    if isSealSet { seal.ware = new } else { new.seal = seal }
    try context.save()
    #expect(wares.map { $0.seal?.number } == [9, nil] && seal.ware === wares[0])
    #expect(try Stock.wares(container).mapValues { $0.seal?.number } == ["a": 9, "b": nil])
  }

  /// The program makes the stored ware newer than the new one in the same save, or older.
  @Test(arguments: [1, 5, 9]) func `the newest ware is found after the changes of the save`(version: Int) throws {
    put("a", 1, into: context)
    put("b", 2, into: context)
    try context.save()
    try context.setUniquePolicy(.newest(by: \.version), for: Ware.self)
    let wares = try context.fetch(FetchDescriptor<Ware>(sortBy: [SortDescriptor(\.code)]))
    wares[0].version = version
    let new = Ware("a", title: "new", version: 5)
    context.insert(new)
    new.seal = wares[1].seal
    try context.save()
    let isNewer = version <= 5
    #expect(wares.map { $0.seal?.number } == (isNewer ? [2, nil] : [1, 2]))
    let stored = try Stock.wares(container)
    #expect(stored.mapValues { $0.seal?.number } == ["a": isNewer ? 2 : 1, "b": isNewer ? nil : 2])
    #expect(stored["a"]?.title == (isNewer ? "new" : "old") && context.lastSave.merges.count == 1)
  }

  // MARK: Getters of .newest

  @Test(arguments: [false, true]) func `a getter that changes the stored ware is an error`(isBatch: Bool) throws {
    try fill(context)
    try context.setUniquePolicy(.newest(by: \.restlessVersion), for: Ware.self)
    let new = Ware("a", version: 8)
    if !isBatch { context.insert(new) }
    let error = #expect(throws: RoostError.self) {
      if isBatch { try context.insert(batch: [new]) } else { try context.save() }
    }
    #expect(error?.code == .badValue && error?.detail.contains(".newest(by:)") == true)
    #expect(error?.faults.first?.property == "count")
    #expect(try lines() == [#"a old 1 4 - 1 ["p1", "q1"] ["l1"]"#])
  }

  /// Before the fix, a dropped model of a batch took the partner if the program had set its own side.
  @Test(arguments: [true, false], ["w1", "w2", "w3"]) func `a dropped model of a batch takes no stored partner`(
    fromWare: Bool, code: String
  ) throws {
    let container = try Stock.container()
    let first = ModelContext(container)
    for (code, number) in [("w1", 1), ("w2", 2), ("w3", nil)] as [(String, Int?)] {
      let ware = Ware(code)
      first.insert(ware)
      if let number { ware.seal = Seal(number) }
    }
    try first.save()
    let context = ModelContext(container)
    try context.setUniquePolicy(.keepExisting, for: Ware.self)
    let seal = try #require(try context.first(Seal.self, where: \.number, is: 1))
    try context.insert(batch: [1]) { _ in
      let ware = Ware(code)
      if fromWare { ware.seal = seal } else { seal.ware = ware }
      return ware
    }
    let wares = try Stock.wares(container)
    #expect(wares.mapValues { $0.seal?.number } == ["w1": 1, "w2": 2, "w3": nil])
  }
}

extension Ware {
  /// A getter that should only read.
  fileprivate var restlessVersion: Int {
    count += 1
    return version
  }
}
