import RoostImport
import SwiftData
import Testing

@Model private final class Sluice {
  var name: String
  var left = 0
  var right = 0
  @Validate(.notEmpty) @Derived(\Sluice.word) var key: String
  // It is declared before the property from which it is computed.
  @Derived(\Sluice.double) var twice: Int
  @Derived(\Sluice.both) var sum: Int
  var word: String { name.lowercased() }
  var both: Int { left + right }
  var double: Int { 2 * sum }

  init(_ name: String) { self.name = name }
}

extension Sluice: Validatable {
  func validate(_ validation: Validation) throws {
    if sum > 100 { validation.refuse("it is too full", at: \Sluice.sum) }
    if name == "", key != "" { validation.refuse("the key is old", at: \Sluice.key) }
  }
}

@Model private final class Weir {
  var name: String
  @Relationship(inverse: \WeirGate.weir) var gates: [WeirGate] = []
  @Derived(.count(\Weir.gates)) var size: Int
  @Derived(.sum(\Weir.gates, \.width)) var width: Int

  init(_ name: String) { self.name = name }
}

@Model private final class WeirGate {
  var width: Int
  var weir: Weir?
  init(_ width: Int) { self.width = width }
}

@Model private final class CanalLock {
  @Relationship(inverse: \LockChamber.lock) var chambers: [LockChamber] = []
  @Validate(.range(...1)) @Derived(.count(\CanalLock.chambers)) var size: Int
  init() {}
}

@Model private final class LockChamber {
  var lock: CanalLock?
  init() {}
}

/// Computed values together with rules, imports and other contexts.
@Suite struct ComputedSavingTests {
  private static func container() throws -> ModelContainer {
    try ModelContainer(
      for: Sluice.self, Weir.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  @Test func `rules and validate see computed values`() throws {
    let context = ModelContext(try Self.container())
    let good = Sluice("Ann")
    #expect(try context.faults(of: good).isEmpty)
    let full = Sluice("Full")
    full.left = 101
    #expect(try context.faults(of: full).map(\.property) == ["sum"])
    context.insert(full)
    let error = #expect(throws: RoostError.self) { try context.save() }
    #expect(error?.faults.map(\.property) == ["sum"])
    full.left = 50
    try context.save()
    #expect(full.sum == 50 && full.twice == 100)
    full.name = ""
    let empty = #expect(throws: RoostError.self) { try context.validate() }
    #expect(empty?.faults.map(\.property) == ["key"])
    context.rollback()
    #expect(throws: RoostError.self) { try context.insert(batch: [Sluice("")]) }
    #expect(throws: RoostError.self) { try context.update(model: Sluice.self) { $0.right = 60 } }
    try context.update(model: Sluice.self) { $0.right = 10 }
    #expect(try ModelContext(context.container).fetch(FetchDescriptor<Sluice>()).map(\.twice) == [120])
  }

  @Test func `two contexts that save at the same time compute and validate from both`() async throws {
    let container = try Self.container()
    let context = ModelContext(container)
    context.insert(Sluice("a"))
    try context.save()
    for _ in 0..<150 {
      try context.update(model: Sluice.self) { ($0.left, $0.right) = (0, 0) }
      let refusals = await withTaskGroup(of: Int.self) { group in
        for isLeft in [true, false] {
          group.addTask {
            let own = ModelContext(container)
            guard let sluice = try? own.fetch(FetchDescriptor<Sluice>()).first else { return 9 }
            if isLeft { sluice.left = 60 } else { sluice.right = 60 }
            do { try own.save() } catch { return 1 }
            return 0
          }
        }
        return await group.reduce(0, +)
      }
      let found = try #require(try ModelContext(container).fetch(FetchDescriptor<Sluice>()).first)
      #expect(refusals == 1 && found.left + found.right == 60 && found.sum == 60 && found.twice == 120)
    }
  }

  @Test func `a text without derived columns is imported, one with computed values is refused`() throws {
    let container = try Self.container()
    let weirs = try container.importer(for: Weir.self)
    #expect(try weirs.run(.text("name\na\nb\n", .csv)).progress.inserted == 2)
    let context = ModelContext(container)
    let weir = try #require(try context.fetch(FetchDescriptor<Weir>(sortBy: [SortDescriptor(\.name)])).first)
    weir.gates = [WeirGate(3), WeirGate(4)]
    try context.save()
    #expect(weir.size == 2 && weir.width == 7)
    let sluices = try container.importer(for: Sluice.self)
    let text = #expect(throws: RoostError.self) { try sluices.run(.text("name\na\n", .csv)) }
    #expect("\(text.map { "\($0)" } ?? "")".contains("key"))
    let snapshots = #expect(throws: RoostError.self) { try sluices.run(snapshots: [ModelSnapshot(Sluice("s"))]) }
    #expect(snapshots?.code == .badInput)
    #expect(try sluices.run(models: [Sluice("M")]).progress.inserted == 1)
    #expect(try context.fetch(FetchDescriptor<Sluice>()).map(\.key) == ["m"])
  }

  @Test func `a value that is derived from a list cannot have rules`() throws {
    let error = #expect(throws: (any Error).self) {
      try ModelContainer(for: CanalLock.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }
    #expect("\(error.map { "\($0)" } ?? "")".contains("size"))
  }
}
