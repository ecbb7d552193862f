import Foundation
import RoostImport
import RoostTestSupport
import SwiftData
import Testing

/// One opening of a file of furnaces: two containers, three contexts, and random changes.
final class FurnacePlay<World: FurnaceWorld> {
  typealias Furnace = World.Furnace
  private var random: SplitMix64
  private let containers: [ModelContainer]
  private let contexts: [ModelContext]
  private let place: String
  private var log: [String] = []

  init(_ url: URL, _ seed: UInt64, _ place: String) throws {
    (random, self.place) = (SplitMix64(seed: seed), place)
    containers = try (0..<2).map { _ in
      try ModelContainer(
        for: World.Furnace.self, World.Oven.self, World.Yard.self, configurations: ModelConfiguration(url: url))
    }
    contexts = [ModelContext(containers[0]), ModelContext(containers[0]), ModelContext(containers[1])]
  }

  func run() async throws {
    try check(rules: false)
    try removeOld()
    for step in 0..<40 {
      log = ["step \(step)"]
      try await change()
      try check(rules: true)
    }
    for context in contexts { context.rollback() }
    let sync = { try self.containers[0].verify() }
    #expect(try sync().findings.isEmpty, "\(place)")
    for container in containers { try container.close() }
  }

  private func fail(_ text: String) -> FurnacePlayFault {
    FurnacePlayFault(text: "\(place), \(log.joined(separator: ", ")): \(text)")
  }

  // MARK: Checks

  private func check(rules: Bool) throws {
    let context = ModelContext(containers[random.below(2)])
    let all = try context.fetch(World.byMark)
    if Set(all.map(\.mark)).count != all.count { throw fail("two have one mark") }
    for one in all {
      guard one.sum == one.both, one.twice == one.double, one.key == one.word, one.isWarm else {
        throw fail("\(text(one)): \(one.sum) \(one.both), \(one.twice) \(one.double), \(one.key) \(one.word)")
      }
      if rules, !FurnaceRules.isKept(one) { throw fail("\(text(one)) breaks a rule") }
    }
    for sum in Set(all.map(\.both)) {
      let found = try ModelContext(containers[0]).fetch(World.descriptor(sum: sum)).map(\.mark)
      if Set(found) != Set(all.filter { $0.both == sum }.map(\.mark)) { throw fail("by the sum \(sum): \(found)") }
    }
    for key in Set(all.map(\.word)) {
      let found = try ModelContext(containers[0]).fetch(World.descriptor(key: key)).map(\.mark)
      if found != all.filter({ $0.word == key }).map(\.mark) { throw fail("by the key \(key): \(found)") }
    }
    for yard in try context.fetch(FetchDescriptor<World.Yard>()) {
      let width = World.width(yard)
      if width.stored != width.computed { throw fail("a yard has \(width)") }
    }
    for (number, context) in contexts.enumerated() where !context.hasChanges {
      for one in try context.fetch(FetchDescriptor<Furnace>()) where one.sum != one.both || one.key != one.word {
        throw fail("context \(number) shows an old value: \(text(one)) \(one.sum) \(one.key)")
      }
    }
  }

  /// Deletes objects that break a rule with the values of this version, because an opening computes
  /// them without checking rules.
  private func removeOld() throws {
    let context = ModelContext(containers[0])
    for one in try context.fetch(FetchDescriptor<Furnace>()) where !FurnaceRules.isKept(one) { context.delete(one) }
    try context.save()
  }

  private func text(_ one: Furnace) -> String {
    "\(one.mark) \(one.name ?? "nil") \(one.left) \(one.right.map { "\($0)" } ?? "nil")"
  }

  // MARK: Changes

  private func number() -> Int { random.chance(1, in: 4) ? 13 : random.below(24) }

  private func set(_ one: Furnace) {
    switch random.below(5) {
    case 0: one.name = random.pick([nil, "a", "bb", "ccc", "much too long"])
    case 1, 2: one.left = number()
    case 3: one.right = random.chance(1, in: 4) ? nil : number()
    default: (one.left, one.right) = (number(), number())
    }
  }

  private func furnace() -> Furnace {
    let one = World.furnace("m\(random.below(14))", isOven: random.chance(1, in: 3))
    for _ in 0..<random.below(3) { set(one) }
    return one
  }

  private func choosePolicies(_ context: ModelContext) throws {
    context.mergePolicy = random.pick(ModelContext.MergePolicy.allCases)
    context.automaticallyMergesChanges = random.chance(1, in: 2)
    let rules: [ModelContext.UniqueRule<Furnace>] =
      [
        .upsert, .keepExisting, .mergeNonNil, .throw,
        .resolve { inserted, existing in
          (existing.left, inserted.right) = ((existing.left + 1) % 20, existing.left)
          return .upsert
        },
        .resolve { inserted, existing in
          inserted.name = "r"
          existing.right = (inserted.left + existing.left) % 30
          return .mergeNonNil
        },
        .resolve { inserted, existing in
          inserted.left = 13
          existing.name = existing.name.map { $0 + "e" }
          return .keepExisting
        },
      ] + World.rules
    let rule = random.below(rules.count)
    log.append("\(context.mergePolicy) rule \(rule) \(context.automaticallyMergesChanges)")
    try context.setUniquePolicy(rules[rule], for: Furnace.self)
  }

  /// Runs a change that may be refused, because it breaks a rule or conflicts with another context.
  private func attempt(_ name: String, _ body: () throws -> Void) throws {
    do {
      try body()
      log.append(name)
    } catch let error as RoostError {
      log.append("\(name) refused: \(error.code)")
    } catch let error as SwiftDataError {
      log.append("\(name) refused: \(error)")
    }
  }

  private func some(_ context: ModelContext) throws -> Furnace? {
    try context.fetch(World.byMark).randomElement(using: &random)
  }

  private func change() async throws {
    let context = random.pick(contexts)
    try choosePolicies(context)
    switch random.below(14) {
    case 0, 1, 2:
      for _ in 0...random.below(3) {
        let one = furnace()
        context.insert(one)
        log.append("insert \(text(one))")
      }
      try save(context)
    case 3, 4, 5:
      for _ in 0...random.below(3) { if let one = try some(context) { set(one) } }
      log.append("changes")
      if random.chance(2, in: 3) { try save(context) }
    case 6: try save(context)
    case 7:
      try attempt("batch") { try context.insert(batch: (0...random.below(3)).map { _ in furnace() }) }
    case 8:
      let yard = World.yard("y\(random.below(100))")
      let all = (0...random.below(3)).map { _ in furnace() }
      for one in all { World.put(one, in: yard) }
      try attempt("batch with a yard") { try context.insert(batch: all) }
    case 9: try bulkWrite(context)
    case 10: try importModels()
    case 11: try await race()
    case 12: try applySnapshot(context)
    default: try saveChild(of: context)
    }
  }

  private func save(_ context: ModelContext) throws {
    try attempt("save") { try context.save() }
    if context.hasChanges, random.chance(2, in: 3) { context.rollback() }
  }

  private func bulkWrite(_ context: ModelContext) throws {
    let above = World.predicate(above: random.below(24))
    let (left, name) = (number(), random.pick([nil, "x", "yy"]))
    switch random.below(5) {
    case 0: try attempt("bulk update") { try context.update(model: Furnace.self, where: above) { $0.left = left } }
    case 1: try attempt("bulk update") { try context.update(model: Furnace.self) { $0.name = name } }
    case 2:
      try attempt("bulk update") { try context.update(model: Furnace.self, where: above) { $0.right = $0.left % 9 } }
    case 3: try attempt("bulk delete") { try context.delete(model: Furnace.self, where: above) }
    default: try attempt("bulk delete of yards") { try context.delete(model: World.Yard.self) }
    }
  }

  private func importModels() throws {
    var importer = try containers[0].importer(for: Furnace.self)
    importer.options.conflict = random.pick(ImportOptions.Conflict.allCases)
    importer.options.badRecords = random.chance(1, in: 2) ? .stop : .skip(upTo: 99)
    importer.options.chunk = 2
    let all = (0...random.below(5)).map { _ in furnace() }
    if random.chance(1, in: 3) {
      let yard = World.yard("i\(random.below(100))")
      for one in all { World.put(one, in: yard) }
    }
    try attempt("import \(importer.options.conflict)") { _ = try importer.run(models: all) }
    let error = #expect(throws: RoostError.self) { try importer.run(snapshots: [ModelSnapshot(furnace())]) }
    #expect(error?.code == .badInput)
  }

  private func applySnapshot(_ context: ModelContext) throws {
    guard let one = try some(contexts[0]) else { return }
    if random.chance(1, in: 2) { set(one) }
    let snapshot = ModelSnapshot(one)
    contexts[0].rollback()
    try attempt("apply") { _ = try context.apply(snapshot) }
    try save(context)
  }

  private func saveChild(of context: ModelContext) throws {
    let child = try ModelContext(parent: context)
    if let one = try some(child) { set(one) }
    child.insert(furnace())
    try attempt("child") { try child.save() }
    try save(context)
  }

  /// Contexts of several tasks save at the same time.
  private func race() async throws {
    let seeds = (0..<3).map { _ in random.next() }
    let containers = containers
    await withTaskGroup(of: Void.self) { group in
      for seed in seeds {
        group.addTask {
          var random = SplitMix64(seed: seed)
          let context = ModelContext(random.pick(containers))
          context.mergePolicy = random.pick(ModelContext.MergePolicy.allCases)
          for _ in 0..<6 {
            let all = (try? context.fetch(World.byMark)) ?? []
            guard let one = all.prefix(3).randomElement(using: &random) else { return }
            if random.chance(1, in: 2) { one.left = random.below(24) } else { one.right = random.below(24) }
            do { try context.save() } catch { if random.chance(1, in: 2) { context.rollback() } }
          }
        }
      }
    }
    log.append("race")
  }
}
