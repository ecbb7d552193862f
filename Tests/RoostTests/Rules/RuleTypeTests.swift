import Foundation
import SwiftData
import Testing

/// A rule on a property of each type that can have one.
@Model final class RuleGauge {
  @Validate(.range(..<10)) var small: UInt8 = 1
  @Validate(.range(0...UInt64.max)) var huge: UInt64 = .max
  @Validate(.range(-1...1)) var real: Double = 0
  @Validate(.range(0...0.1)) var single: Float = 0.1
  @Validate(.range(0.01...)) var money: Decimal?
  @Validate(.length(1...3)) var tags: Set<String> = ["a"]
  @Validate(.length(...1)) var counts: [String: Int] = [:]
  @Validate(.pattern("https://.*")) var link: URL?
  @Validate(.oneOf([RuleGauge.home])) var number: UUID = RuleGauge.home
  @Validate(.oneOf([VoucherTint.red, .green])) var tint: VoucherTint?
  @Validate(.oneOf([true])) var agrees = true
  @Validate(.length(2)) var letters = "ab"
  @Validate(.oneOf([1, 2, 3])) var step: Int16 = 1
  @Validate(.range(Date(timeIntervalSinceReferenceDate: 0)..<Date(timeIntervalSinceReferenceDate: 10)))
  var day = Date(timeIntervalSinceReferenceDate: 5)

  static let home = UUID(uuidString: "00000000-0000-0000-0000-000000000001")!

  init() {}
}

/// A class and a subclass, each with a rule.
@Model class RuleBase {
  @Validate(.notEmpty) var name: String

  init(_ name: String) { self.name = name }
}

@Model final class RuleHeir: RuleBase {
  @Validate(.range(1...)) var level = 1

  override init(_ name: String) { super.init(name) }
}

extension RuleHeir: Validatable {
  func validate(_ validation: Validation) throws {
    if name == "\(level)" { validation.refuse("the name is the level", at: \RuleHeir.name) }
  }
}

@Suite struct RuleTypeTests {
  private func context() throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: RuleGauge.self, RuleHeir.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
  }

  @Test func `all types`() throws {
    let context = try context()
    let gauge = RuleGauge()
    context.insert(gauge)
    try context.save()
    #expect(try context.faults(of: gauge).isEmpty)
    let changes: [(String, (RuleGauge) -> Void)] = [
      ("small", { $0.small = 10 }), ("real", { $0.real = .nan }), ("single", { $0.single = 0.11 }),
      ("money", { $0.money = 0 }), ("tags", { $0.tags = [] }), ("counts", { $0.counts = ["a": 1, "b": 2] }),
      ("link", { $0.link = URL(string: "http://a") }), ("number", { $0.number = UUID() }),
      ("tint", { $0.tint = .blue }),
      ("agrees", { $0.agrees = false }), ("letters", { $0.letters = "abc" }), ("step", { $0.step = 4 }),
      ("day", { $0.day = Date(timeIntervalSinceReferenceDate: 10) }),
    ]
    for (name, change) in changes {
      change(gauge)
      let error = #expect(throws: RoostError.self) { try context.save() }
      #expect(error?.faults.map(\.property) == [name], "\(name): \(error?.detail ?? "saved")")
      context.rollback()
      let bulk = #expect(throws: RoostError.self) { try context.update(model: RuleGauge.self, change) }
      #expect(bulk?.faults.map(\.property) == [name], "\(name): \(bulk?.detail ?? "written")")
    }
    gauge.huge = 0
    (gauge.money, gauge.tint, gauge.link) = (0.01, .green, URL(string: "https://a"))
    try context.save()
  }

  @Test func `a subclass has the rules of its superclass and its own`() throws {
    let context = try context()
    let heir = RuleHeir(" ")
    heir.level = 0
    context.insert(heir)
    let error = #expect(throws: RoostError.self) { try context.save() }
    #expect(error?.faults.map(\.property) == ["name", "level"])
    (heir.name, heir.level) = ("7", 7)
    let own = #expect(throws: RoostError.self) { try context.save() }
    #expect(own?.faults.map(\.detail) == ["the name is the level"])
    heir.level = 8
    context.insert(RuleBase("7"))
    try context.save()
    let bulk = #expect(throws: RoostError.self) { try context.update(model: RuleBase.self) { $0.name = "8" } }
    #expect(bulk?.faults.map(\.detail) == ["the name is the level"])
    let bases = #expect(throws: RoostError.self) { try context.update(model: RuleBase.self) { $0.name = "" } }
    #expect(bases?.faults.count == 2)
  }

  @Test func `a row that is older than a rule can still be changed`() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "rules-\(UUID().uuidString).roost")
    defer { for end in ["", "-log"] { try? FileManager.default.removeItem(atPath: url.path + end) } }
    func container(_ rules: [ValidationRule]) throws -> ModelContainer {
      let schema = Schema([RuleBase.self, RuleHeir.self])
      for entity in schema.entities { entity.attributesByName["name"]?.rules = rules }
      return try ModelContainer(for: schema, configurations: [ModelConfiguration(url: url)])
    }
    let first = try container([])
    let before = ModelContext(first)
    let heir = RuleHeir("")
    before.insert(heir)
    try before.save()
    try first.close()
    let context = ModelContext(try container([.notEmpty]))
    let old = try #require(try context.fetch(FetchDescriptor<RuleHeir>()).first)
    #expect(try context.faults(of: old).map(\.property) == ["name"])
    old.level = 3
    try context.save()
    old.name = "\t"
    #expect(throws: RoostError.self) { try context.save() }
    old.name = "x"
    try context.save()
    try context.container.close()
  }
}
