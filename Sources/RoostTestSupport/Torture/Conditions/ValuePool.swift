package import RoostQuery
package import RoostRecords

/// The values of a stage: few of each type, so that equal values, ties and common prefixes are
/// frequent.
package struct ValuePool: Sendable {
  /// The number of rows of each entity that references may name.
  package var rows: [EntityID: Int] = [:]
  private var known: [FieldType: [Value]] = [:]

  package init(_ generator: inout SplitMix64) {
    for type in Self.types {
      let all = Self.all(type)
      // Neighbours in the list are similar, so a stretch of it has more ties than single draws.
      let start = generator.below(all.count)
      let count = min(all.count, 3 + generator.below(4))
      known[type] = (0..<count).map { all[(start + $0) % all.count] }
    }
  }

  package static let types: [FieldType] = [
    .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float, .double, .decimal, .string, .data,
    .date, .uuid, .url,
  ]

  // MARK: Drawing

  package func draw(_ type: FieldType, _ generator: inout SplitMix64) -> Value {
    switch type {
    case .reference(let entity): return reference(entity, &generator)
    case .presence: return .bool(true)
    case .array(let element): return .array(several(element, &generator))
    case .set(let element): return .set(Set(several(element, &generator)))
    case .dictionary(let key, let element):
      var pairs: [Value: Value] = [:]
      for _ in 0..<generator.below(4) { pairs[draw(key, &generator)] = draw(element, &generator) }
      return .dictionary(pairs)
    default:
      if let few = known[type], generator.chance(9, in: 10) { return generator.pick(few) }
      return generator.pick(Self.all(type))
    }
  }

  package func draw(_ type: ElementType, _ generator: inout SplitMix64) -> Value {
    switch type {
    case .plain(let type): draw(type, &generator)
    case .optional(let inner): generator.chance(1, in: 3) ? .null : draw(inner, &generator)
    case .structure(let parts): .structure(parts.map { draw($0.type, &generator) })
    }
  }

  package func draw(_ kind: Kind, _ generator: inout SplitMix64) -> Value {
    switch kind {
    case .plain(let type): return draw(type, &generator)
    case .optional(let inner): return generator.chance(1, in: 3) ? .null : draw(inner, &generator)
    case .array(let element): return .array(several(element, &generator))
    case .set(let element): return .set(Set(several(element, &generator)))
    case .dictionary(let key, let element):
      var pairs: [Value: Value] = [:]
      for _ in 0..<generator.below(4) { pairs[draw(key, &generator)] = draw(element, &generator) }
      return .dictionary(pairs)
    case .structure(let parts): return .structure(parts.map { draw($0.type, &generator) })
    case .rows(let entity): return .array((0..<generator.below(4)).map { _ in reference(entity, &generator) })
    }
  }

  private func several(_ element: ElementType, _ generator: inout SplitMix64) -> [Value] {
    (0..<generator.below(5)).map { _ in draw(element, &generator) }
  }

  private func several(_ element: Kind, _ generator: inout SplitMix64) -> [Value] {
    (0..<generator.below(6)).map { _ in draw(element, &generator) }
  }

  /// Sometimes a missing row.
  private func reference(_ entity: EntityID, _ generator: inout SplitMix64) -> Value {
    let count = rows[entity] ?? 0
    if count == 0 || generator.chance(1, in: 60) { return .reference(RowID(UInt64(generator.below(3) * 1000))) }
    return .reference(RowID(UInt64(1 + generator.below(count))))
  }
}

extension ValuePool {
  /// All values to try.
  static func all(_ type: FieldType) -> [Value] {
    switch type {
    case .bool: [.bool(false), .bool(true)]
    case .int8: signed(Int8.self)
    case .int16: signed(Int16.self)
    case .int32: signed(Int32.self)
    case .int64: signed(Int64.self)
    case .uint8: unsigned(UInt8.self)
    case .uint16: unsigned(UInt16.self)
    case .uint32: unsigned(UInt32.self)
    case .uint64: unsigned(UInt64.self)
    case .float:
      [
        0, -0.0, 1, -1, 1.5, .nan, .infinity, -.infinity, 2, 0.1, -.nan, .greatestFiniteMagnitude,
        .leastNonzeroMagnitude,
      ]
      .map { .float($0) }
    case .double: doubles.map { .double($0) }
    case .date: doubles.map { .date($0) }
    case .decimal:
      [
        DecimalNumber(0), DecimalNumber(1), DecimalNumber(mantissa: 10, exponent: -1), DecimalNumber(-1),
        DecimalNumber(mantissa: 1, exponent: -1), .nan, DecimalNumber(mantissa: 1, exponent: 20),
        DecimalNumber(mantissa: .max, exponent: 127), DecimalNumber(mantissa: 5, exponent: -128, isNegative: true),
      ].map { .decimal($0) }
    case .string: texts.map { .string($0) }
    case .url: texts.map { .url($0) }
    case .data:
      [
        [], [0], [0, 0], [0, 255], [1], [255], [255, 255], [UInt8](repeating: 7, count: 512),
        [UInt8](repeating: 7, count: 513), [UInt8](repeating: 7, count: 512) + [8, 1],
        [UInt8](repeating: 0, count: 200) + [UInt8](repeating: 9, count: 2000),
      ].map { .data($0) }
    case .uuid:
      [(0, 0), (0, 1), (1, 0), (.max, .max), (1 << 63, 5)].map { .uuid(UUIDNumber(high: $0.0, low: $0.1)) }
    default: [type.empty]
    }
  }

  private static func signed<Number: FixedWidthInteger & SignedInteger>(_ type: Number.Type) -> [Value] {
    [0, 1, -1, 2, 3, 7, .max, .min, .max - 1, .min + 1, -3, 10].map { .int(Int64($0 as Number)) }
  }

  private static func unsigned<Number: FixedWidthInteger & UnsignedInteger>(_ type: Number.Type) -> [Value] {
    [0, 1, 2, 3, 7, .max, .max - 1, 1 << (Number.bitWidth - 1), 10].map { .uint(UInt64($0 as Number)) }
  }

  private static let doubles: [Double] = [
    0, -0.0, 1, -1, 1.5, .nan, .infinity, -.infinity, 2, 0.1, -.nan, 1e300, .leastNonzeroMagnitude, 3,
  ]

  private static let long = String(repeating: "x", count: 512)

  private static let texts: [String] = [
    "", "a", "A", "ab", "abc", "aB", "b", "\u{e9}", "e\u{301}", "\u{c9}", "e", "e\u{301}\u{323}", "e\u{323}\u{301}",
    "\u{df}", "ss", "SS", "\u{3c2}", "\u{3c3}", "\u{3a3}", "\u{130}", "i\u{307}", "\u{131}", "i", "I", "\r\n", "\r",
    "\n",
    "a\r\nb", "a\n", "\u{0}", "a\u{0}", "a\u{0}b", "\u{212b}", "\u{e5}", "a\u{30a}", "\u{1f469}\u{200d}\u{1f467}",
    "\u{1f469}", "\u{1f467}", "\u{ac00}", "\u{1100}\u{1161}", "\u{fb01}", "fi", "10", "9", "z",
    long, long + "x", long + "xa", long + "xb", long + "xab", long + "xA", String(long.dropLast()) + "\u{e9}",
    String(long.dropLast()) + "e\u{301}", String(repeating: "x", count: 3000), String(repeating: "\u{e9}", count: 300),
    String(repeating: "e\u{301}", count: 300), String(repeating: "\u{e9}", count: 300) + "a",
  ]
}
