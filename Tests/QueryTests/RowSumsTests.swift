import RoostFile
import RoostQuery
import RoostRecords
import RoostTestSupport
import RoostTrees
import Testing

#if DEBUG
  @testable import RoostRecords
#endif

/// Counts, sums and bounds over rows, compared with loops over the rows' values.
@Suite("Sums by groups") struct RowSumsTests {
  static let counted = ["int", "count", "small", "double", "odouble", "oint", "otext", "text", "late", "decimal"]
  static let summed = ["int", "small", "count", "half", "double", "float", "oint", "odouble", "late"]
  static let bounded = [
    "int", "small", "count", "double", "float", "flag", "date", "odate", "text", "otext", "uuid", "odouble", "olate",
  ]
  static let keys = [
    ["int"], ["double"], ["text"], ["otext"], ["oflag"], ["float"], ["uuid"], ["data"], ["odate"], ["count"], ["url"],
    ["late"], ["olate"], ["decimal"], ["odouble", "otext"], ["text", "int"], ["flag", "odouble", "url"],
    ["oint", "decimal"],
  ]

  // MARK: Rows

  private static let texts = [
    "", "a", "A", "\u{e9}", "e\u{301}", "\u{212b}", "\u{e5}", "a\u{30a}", "a\u{0}", "\u{1e69}", "s\u{323}\u{307}",
    "s\u{307}\u{323}", "eight888", "nine99999", String(repeating: "x", count: 600),
    String(repeating: "e\u{301}", count: 700),
    String(repeating: "\u{e9}", count: 700),
  ]
  private static let doubles = [
    0.0, -0.0, 1.5, -1.5, .nan, Double(nan: 3, signaling: false), .infinity, -.infinity, 1e300, 1e-300, 0.1,
  ]

  private static func row(_ random: inout SplitMix64) -> [String: Value] {
    func chance(_ value: Value) -> Value { random.chance(1, in: 4) ? .null : value }
    func number() -> Double { random.pick(doubles) }
    return [
      "int": .int(random.pick([-3, 0, 1, .max, .min] as [Int64])),
      "small": .int(random.pick([-128, 7, 127] as [Int64])),
      "count": .uint(random.pick([0, 1, .max] as [UInt64])), "half": .uint(UInt64(random.below(3))),
      "double": .double(number()), "float": .float(Float(number())), "text": .string(random.pick(texts)),
      "flag": .bool(random.chance(1, in: 2)), "date": .date(number()),
      "uuid": .uuid(UUIDNumber(high: UInt64(random.below(2)), low: UInt64(random.below(2)))),
      "decimal": .decimal(DecimalNumber(random.below(3))), "data": .data(Array(random.pick(texts).utf8)),
      "url": .url(random.pick(texts)), "oint": chance(.int(Int64(random.below(3)))),
      "odouble": chance(.double(number())),
      "otext": chance(.string(random.pick(texts))), "oflag": chance(.bool(random.chance(1, in: 2))),
      "odate": chance(.date(number())), "place": chance(.bool(true)),
    ]
  }

  private static func insert(_ row: [String: Value], _ table: TableWriter) throws {
    var builder = RowBuilder(table.layout)
    for (name, value) in row { try builder.set(table.slot(name), value) }
    _ = try table.insert(&builder)
  }

  /// A store whose first rows lack the last fields.
  private static func things(seed: UInt64, rows: Int) throws -> Things {
    var random = SplitMix64(seed: seed)
    var things = try Things([])
    try things.store.write { writer in
      let table = try writer.table("Thing")
      for _ in 0..<rows / 2 { try insert(row(&random), table) }
    }
    try things.add { (entity) throws(RecordFault) in
      try entity.add("late", .int64, initial: .int(9))
      try entity.add("olate", .double, isOptional: true)
    }
    try things.store.write { writer in
      let table = try writer.table("Thing")
      for _ in rows / 2..<rows {
        var row = row(&random)
        row["late"] = .int(random.pick([9, -9]))
        row["olate"] = random.chance(1, in: 2) ? .null : .double(random.pick(doubles))
        try insert(row, table)
      }
    }
    return things
  }

  // MARK: Brute force

  /// A key under which Swift finds equal values. All NaN are one key.
  private static func alike(_ value: Value?) -> Value {
    switch value ?? .null {
    case .double(let number) where number.isNaN: .string("no number")
    case .float(let number) where number.isNaN: .string("no number")
    case .date(let number) where number.isNaN: .string("no number")
    case let value: value
    }
  }

  private static func isNumber(_ value: Value) -> Bool { alike(value) == value }

  private static func isLess(_ one: Value, _ other: Value) -> Bool {
    switch (one, other) {
    case (.int(let one), .int(let other)): one < other
    case (.uint(let one), .uint(let other)): one < other
    case (.double(let one), .double(let other)): one < other
    case (.float(let one), .float(let other)): one < other
    case (.date(let one), .date(let other)): one < other
    case (.bool(let one), .bool(let other)): !one && other
    case (.string(let one), .string(let other)): one < other
    case (.uuid(let one), .uuid(let other)): (one.high, one.low) < (other.high, other.low)
    default: false
    }
  }

  private static func add(_ value: Value, to tally: inout MeasureTally, _ kind: Measure.Kind) {
    if value == .null { return }
    tally.count += 1
    switch (kind, value) {
    case (.sum, .int(let number)): tally.integers += Int128(number)
    case (.sum, .uint(let number)): tally.integers += Int128(number)
    case (.sum, .double(let number)): tally.floats.add(number)
    case (.sum, .float(let number)): tally.floats.add(Double(number))
    case (.least, _):
      if tally.bound.map({ isNumber($0) ? isLess(value, $0) : isNumber(value) }) != false { tally.bound = value }
    case (.greatest, _):
      if tally.bound.map({ isNumber($0) ? isLess($0, value) : isNumber(value) }) != false { tally.bound = value }
    default: break
    }
  }

  private static let measures: [(Measure.Kind, String?)] =
    [(.count, nil)] + counted.map { (.count, $0) } + summed.map { (.sum, $0) } + bounded.map { (.least, $0) }
    + bounded.map { (.greatest, $0) }

  /// A text that is equal for two tallies only if they are equal bit for bit, including the sign of
  /// zero and the encoding of letters.
  private static func text(_ tally: MeasureTally) -> String {
    let bound =
      switch tally.bound {
      case .string(let text)?: "\(Array(text.utf8))"
      case let value?: "\(value)"
      case nil: "-"
      }
    // The compiler may choose which NaN a sum is.
    let total = tally.floats.total.isNaN ? .nan : tally.floats.total
    return "\(tally.count) \(tally.integers) \(total) \(bound)"
  }

  private func check(_ things: Things, _ names: [String], condition: Expression?, of wanted: Set<UInt64>) throws {
    var groups: [(keys: [Value], tallies: [MeasureTally])] = []
    var places: [[Value]: Int] = [:]
    if names.isEmpty { groups.append(([], Self.measures.map { _ in MeasureTally() })) }
    try things.store.read { reader in
      let table = try reader.table("Thing")
      var cursor = try table.cursor()
      while try cursor.next() {
        guard try wanted.contains(cursor.id.number), let values = try table.values(cursor.id) else { continue }
        let keys = names.map { values[$0] ?? .null }
        let place = names.isEmpty ? 0 : places[keys.map(Self.alike), default: groups.count]
        if place == groups.count {
          places[keys.map(Self.alike)] = place
          groups.append((keys, Self.measures.map { _ in MeasureTally() }))
        }
        for (number, (kind, name)) in Self.measures.enumerated() {
          let value = name.map { values[$0] ?? .null } ?? .bool(true)
          Self.add(value, to: &groups[place].tallies[number], kind)
        }
      }
      let measures = Self.measures.map { kind, name in Measure(kind, name.map { things($0) }) }
      let found = try Planner(Ground(reader)).aggregate(
        Query("Thing", where: condition), by: names.map { things($0) }, measures
      ) { _, _, _ in }
      #expect(found.groups.count == groups.count)
      #expect(found.order.sorted() == Array(groups.indices))
      for (one, other) in zip(found.groups, groups) {
        #expect("\(one.keys)" == "\(other.keys)")
        for (measure, (tally, wanted)) in zip(Self.measures, zip(one.tallies, other.tallies)) {
          #expect(Self.text(tally) == Self.text(wanted), "\(measure) of \(one.keys), by \(names)")
        }
      }
      for (one, next) in zip(found.order, found.order.dropFirst()) where names.count == 1 {
        let (one, next) = (groups[one].keys[0], groups[next].keys[0])
        #expect(!Self.isLess(next, one), "\(one) before \(next)")
      }
    }
  }

  private static func all(_ rows: Int) -> Set<UInt64> { Set((1...UInt64(rows))) }

  @Test(arguments: [1, 2, 3] as [UInt64]) func `groups of random rows`(seed: UInt64) throws {
    let things = try Self.things(seed: seed, rows: 160)
    for names in [[]] + Self.keys { try check(things, names, condition: nil, of: Self.all(160)) }
  }

  @Test func `no rows`() throws {
    let things = try Self.things(seed: 1, rows: 0)
    try check(things, [], condition: nil, of: [])
    try check(things, ["text"], condition: nil, of: [])
  }

  @Test func `more keys than the cache holds`() throws {
    let rows = (0..<9000).map { number -> KeyValuePairs<String, Value> in
      ["int": .int(Int64(number % 4500)), "text": .string("\(number % 4500)"), "small": .int(Int64(number % 5))]
    }
    let things = try Things(rows)
    for key in ["int", "text"] {
      let found = try things.store.read { reader in
        try Planner(Ground(reader)).aggregate(
          Query("Thing"), by: [things(key)], [Measure(.count), Measure(.sum, things("small"))]
        ) { _, _, _ in }
      }
      #expect(found.groups.count == 4500)
      #expect(found.groups.allSatisfy { $0.tallies[0].count == 2 })
      #expect(found.groups.reduce(0) { $0 + $1.tallies[1].integers } == 18_000)
    }
  }

  @Test func `only rows that fulfil a condition count`() throws {
    let things = try Self.things(seed: 7, rows: 120)
    let condition = Expression.and([
      .compare(.greater, things("count"), .constant(.uint(0), .plain(.uint64))),
      .compare(.notEqual, things("oint"), .constant(.int(1), .plain(.int64))),
    ])
    let rows = try things.store.read { reader in
      let table = try reader.table("Thing")
      return try Self.all(120).filter { row in
        guard let values = try table.values(RowID(row)), case .uint(let count)? = values["count"] else { return false }
        return count > 0 && values["oint"] != .int(1)
      }
    }
    #expect(rows.count > 20 && rows.count < 100)
    for names in [[]] + Self.keys { try check(things, names, condition: condition, of: rows) }
  }

  @Test func `computed keys and values`() throws {
    let things = try Things((0..<40).map { ["int": .int($0 % 5), "double": .double(Double($0))] })
    let key = Expression.arithmetic(.add, things("int"), int(100))
    let found = try things.store.read { reader in
      try Planner(Ground(reader)).aggregate(
        Query("Thing"), by: [key, things("int")],
        [Measure(.sum, .arithmetic(.multiply, things("double"), double(2))), Measure(.greatest, key)]
      ) { _, _, _ in }
    }
    #expect(found.groups.count == 5)
    for (number, group) in found.groups.enumerated() {
      #expect(group.keys == [.int(100 + Int64(number)), .int(Int64(number))])
      #expect(group.tallies[0].floats.total == Double(2 * (8 * number + 140)))
      #expect(group.tallies[1].bound == .int(100 + Int64(number)))
    }
  }

  #if DEBUG
    @Test(arguments: [0, 1, 40, 79]) func `a damaged row is an error`(place: Int) throws {
      let things = try Self.things(seed: 5, rows: 80)
      try things.store.write { writer in
        let table = try writer.table("Thing")
        // It has the newest layout and is too short for it.
        let bytes = [UInt8(truncatingIfNeeded: table.layout.version)] + [UInt8](repeating: 0, count: 8)
        _ = try bytes.withUnsafeBytes { try table.rows.put(UInt64(place + 1), $0) }
      }
      for keys in [[], [things("text")], [things("decimal")]] {
        let error = #expect(throws: StoreError.self) {
          try things.store.read { reader in
            try Planner(Ground(reader)).aggregate(Query("Thing"), by: keys, [Measure(.sum, things("int"))]) { _, _, _ in
            }
          }
        }
        #expect(error?.code == .damaged)
      }
    }
  #endif
}
