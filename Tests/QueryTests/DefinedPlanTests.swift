import RoostPages
import RoostQuery
import RoostRecords
import RoostTestSupport
import Testing

/// Plans over indexes with conditions, forms and elements.
@Suite struct DefinedPlanTests {
  private static let fields = ["flag", "size", "ratio", "name", "note", "tags", "codes"]

  /// A store with an index of each kind over fields with few different values.
  private static func store(_ generator: inout SplitMix64) throws -> RecordStore {
    let store = try RecordStore(inMemory: StoreOptions())
    try store.write { writer in
      try writer.change { catalog in
        try catalog.add(entity: "Task") { (entity) throws(RecordFault) in
          try entity.add("flag", .bool)
          try entity.add("size", .int64)
          try entity.add("ratio", .double, isOptional: true)
          try entity.add("name", .string)
          try entity.add("note", .string, isOptional: true)
          try entity.add("tags", .array(.plain(.string)))
          try entity.add("codes", .set(.plain(.int32)), isOptional: true)
        }
        let entity = catalog.entity("Task")!
        func field(_ name: String) -> FieldID { entity.field(name)!.id }
        func part(_ name: String, _ form: Index.Form = .value, isDescending: Bool = false) -> Index.Part {
          Index.Part(field(name), isDescending: isDescending, form: form)
        }
        let tests: [[Index.Test]] = [
          [.equals(field("flag"), .bool(true))], [.compares(field("size"), .greater, .int(3))],
          [.compares(field("size"), .lessOrEqual, .int(6)), .isNotNull(field("note"))],
          [.compares(field("note"), .notEqual, .string("b"))], [.compares(field("ratio"), .less, .double(2))],
          [.any([.equals(field("size"), .int(2)), .compares(field("size"), .greaterOrEqual, .int(7))])],
          [.any([.isNull(field("note")), .equals(field("flag"), .bool(false))])],
          [.compares(field("ratio"), .notEqual, .double(1))],
        ]
        for (number, tests) in tests.enumerated() {
          let first = generator.pick(["size", "name", "note", "ratio"])
          let second = generator.pick(["flag", "size", "name"])
          let parts = first == second ? [part(first)] : [part(first), part(second, isDescending: true)]
          try catalog.add(index: "partial \(number)", of: "Task", parts: parts, tests: tests)
        }
        for (number, parts) in [
          [part("name", .lowercased), part("size")], [part("note", .uppercased)], [part("tags", .elements)],
          [part("size"), part("tags", .elements), part("name")], [part("codes", .elements), part("flag")],
          [part("tags", .count), part("name", .count)], [part("size"), part("name", isDescending: true)],
        ].enumerated() {
          try catalog.add(
            index: "formed \(number)", of: "Task", parts: parts,
            tests: number == 3 ? [.equals(field("flag"), .bool(true))] : [])
        }
      }
      for _ in 0..<generator.pick([0, 3, 300]) { try writer.table("Task").insert(row(&generator)) }
    }
    return store
  }

  private static func row(_ generator: inout SplitMix64) -> KeyValuePairs<String, Value> {
    let tags = (0..<generator.below(4)).map { _ in Value.string(generator.pick(["x", "y", "Z", "é", "e\u{301}"])) }
    let codes = Set((0..<generator.below(4)).map { _ in Value.int(Int64(generator.below(6))) })
    return [
      "flag": .bool(generator.chance(1, in: 2)), "size": .int(Int64(generator.below(10))),
      "ratio": generator.pick([.null, .double(1), .double(2), .double(.nan), .double(-0.0)]),
      "name": .string(generator.pick(["a", "A", "b", "É", "e\u{301}", String(repeating: "q", count: 700) + "1"])),
      "note": generator.pick([.null, .string("a"), .string("b"), .string("")]), "tags": .array(tags),
      "codes": generator.chance(1, in: 4) ? .null : .set(codes),
    ]
  }

  /// A random part of a condition. Many parts fit an index.
  private static func part(_ entity: Entity, _ generator: inout SplitMix64) -> Expression {
    func field(_ name: String) -> Expression { .field(.row, entity.field(name)!.id) }
    func number(_ value: Int) -> Expression { .constant(.int(Int64(value)), .int) }
    func text(_ value: String) -> Expression { .constant(.string(value), .string) }
    let comparison = generator.pick(Expression.Comparison.allCases)
    let short = generator.pick(["a", "A", "b", "é", "x", "É", String(repeating: "q", count: 700) + "1"])
    switch generator.below(16) {
    case 0: return field("flag")
    case 1: return .not(field("flag"))
    case 2, 3: return .compare(comparison, field("size"), number(generator.below(10)))
    case 4: return .within(number(generator.below(6)), number(6 + generator.below(3)), true, field("size"))
    case 5:
      return .compare(
        generator.chance(1, in: 2) ? .equal : .notEqual, field("note"), text(generator.pick(["a", "b", ""])))
    case 6:
      return .compare(
        generator.chance(1, in: 2) ? .equal : .notEqual, field("note"), .constant(.null, .optional(.string)))
    case 7:
      return .compare(
        comparison, .coalesce(field("ratio"), .constant(.double(0), .double)), .constant(.double(1), .double))
    case 8: return .compare(comparison, .changed(.lowercased, field("name")), text(short.lowercased()))
    case 9: return .text(.hasPrefix, .changed(.lowercased, field("name")), text(String(short.lowercased().prefix(1))))
    case 10:
      return .compare(
        .equal, .ifLet(7, field("note"), .changed(.uppercased, .variable(7)), .constant(.null, .optional(.string))),
        .constant(.string(generator.pick(["A", "B"])), .optional(.string)))
    case 11, 12: return .contains(field("tags"), text(generator.pick(["x", "Z", "é", "z"])))
    case 13:
      return .coalesce(
        .ifLet(
          8, field("codes"), .contains(.variable(8), .constant(.int(Int64(generator.below(6))), .plain(.int32))),
          .constant(.null, .optional(.bool))), .constant(.bool(false), .bool))
    case 14: return generator.chance(1, in: 2) ? .isEmpty(field("tags")) : .not(.isEmpty(field("tags")))
    default: return .compare(comparison, .count(field("tags")), number(generator.below(4)))
    }
  }

  @Test(arguments: UInt64(1)...12) func `every plan finds the rows that a scan finds`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let store = try Self.store(&generator)
    try store.write { writer in
      for row in 1...40 {
        let table = try writer.table("Task")
        if row % 5 == 0 {
          try table.delete(RowID(UInt64(row)))
        } else {
          try table.update(RowID(UInt64(row)), Self.row(&generator))
        }
      }
    }
    let report = try store.verify()
    #expect(report.findings.isEmpty, "seed \(seed): \(report.findings)")
    var used: Set<String> = []
    try store.read { reader in
      let entity = reader.catalog.entity("Task")!
      for number in 0..<400 {
        var parts = (0...generator.below(3)).map { _ in Self.part(entity, &generator) }
        if generator.chance(1, in: 4) { parts = [.or(parts)] }
        var query = Query("Task", where: .and(parts))
        for name in ["size", "name", "note", "flag"].shuffled(using: &generator).prefix(generator.below(3)) {
          query.order.append(Order(.field(.row, entity.field(name)!.id), isDescending: generator.chance(1, in: 2)))
        }
        let planner = Planner(Ground(reader))
        let plans = try planner.plans(query)
        let wanted = try #require(
          plans.first { $0.explanation.contains("all ") && !$0.explanation.contains("index ") } ?? plans.last
        ).rows()
        for plan in plans {
          let found = try plan.rows()
          let message = "seed \(seed), \(number): \(plan.explanation)"
          #expect(query.order.isEmpty ? found.sorted() == wanted.sorted() : found == wanted, "\(message)")
          #expect(Set(found).count == found.count, "\(message)")
          for index in plan.facts.indexes { used.insert(index) }
        }
        #expect(try planner.count(query) == wanted.count, "seed \(seed), \(number)")
        #expect(try planner.plan(query).rows().count == wanted.count, "seed \(seed), \(number)")
      }
    }
    #expect(used.count >= 12, "seed \(seed): \(used.sorted())")
  }
}
