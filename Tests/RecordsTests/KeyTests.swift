import Foundation
import RoostBytes
import RoostTestSupport
import Testing

@testable import RoostRecords

/// Keys sort and compare like Swift's values.
@Suite struct KeyTests {
  private static let pairs = 150_000

  private func key(_ value: Value, _ type: FieldType) throws -> [UInt8] {
    var buffer = ByteBuffer()
    try KeyCoding.append(value, as: type, to: &buffer)
    return [UInt8](buffer.bytes)
  }

  private func order<T: Comparable>(_ one: T, _ other: T) -> Int { one < other ? -1 : one == other ? 0 : 1 }

  private func order(_ one: [UInt8], _ other: [UInt8]) -> Int {
    one.lexicographicallyPrecedes(other) ? -1 : one == other ? 0 : 1
  }

  /// Compares the order of many pairs of values with that of their keys. Some pairs are close to
  /// each other.
  private func compare<T: Comparable>(
    _ type: FieldType, edges: [T], _ make: (inout SplitMix64) -> T, _ near: (T, inout SplitMix64) -> T,
    _ value: (T) -> Value
  ) throws {
    var generator = SplitMix64(seed: 20_240_601)
    for one in edges {
      for other in edges {
        #expect(
          order(try key(value(one), type), try key(value(other), type)) == order(one, other), "\(one) and \(other)")
      }
    }
    var wrong = 0
    for _ in 0..<Self.pairs {
      let one = generator.chance(1, in: 8) ? edges[generator.below(edges.count)] : make(&generator)
      let other = generator.chance(1, in: 2) ? near(one, &generator) : make(&generator)
      let keys = (try key(value(one), type), try key(value(other), type))
      if order(keys.0, keys.1) != order(one, other) {
        wrong += 1
        if wrong < 4 { Issue.record("\(one) and \(other)") }
      }
      // The bytes after a value in a compound key must not change the order of the values.
      if one != other, keys.0.starts(with: keys.1) || keys.1.starts(with: keys.0) { wrong += 1 }
    }
    #expect(wrong == 0)
  }

  private func integers<T: FixedWidthInteger>(_ type: FieldType, _ value: (T) -> Value) throws {
    try compare(
      type, edges: [T.min, T.min + 1, 0, 1, T.max - 1, T.max], { T(truncatingIfNeeded: $0.next()) },
      { one, generator in one &+ T(truncatingIfNeeded: generator.below(3)) &- 1 }, value)
  }

  @Test func `signed integers`() throws {
    try integers(.int8) { (number: Int8) in .int(Int64(number)) }
    try integers(.int16) { (number: Int16) in .int(Int64(number)) }
    try integers(.int32) { (number: Int32) in .int(Int64(number)) }
    try integers(.int64) { (number: Int64) in .int(number) }
  }

  @Test func `unsigned integers`() throws {
    try integers(.uint8) { (number: UInt8) in .uint(UInt64(number)) }
    try integers(.uint16) { (number: UInt16) in .uint(UInt64(number)) }
    try integers(.uint32) { (number: UInt32) in .uint(UInt64(number)) }
    try integers(.uint64) { (number: UInt64) in .uint(number) }
  }

  @Test func `doubles, dates and floats`() throws {
    let edges: [Double] = [
      -.infinity, -.greatestFiniteMagnitude, -1, -.leastNormalMagnitude, -.leastNonzeroMagnitude, -0.0, 0.0,
      .leastNonzeroMagnitude, .leastNormalMagnitude, 1, 1 + .ulpOfOne, .greatestFiniteMagnitude, .infinity,
    ]
    func make(_ generator: inout SplitMix64) -> Double {
      let number = Double(bitPattern: generator.next())
      return number.isNaN ? 0.5 : number
    }
    func near(_ one: Double, _ generator: inout SplitMix64) -> Double {
      generator.chance(1, in: 2) ? one.nextUp : generator.chance(1, in: 2) ? -one : one
    }
    try compare(.double, edges: edges, make, near) { .double($0) }
    try compare(.date, edges: edges, make, near) { .date($0) }
    try compare(
      .float, edges: edges.map { Float($0) },
      { generator in
        let number = Float(bitPattern: UInt32(truncatingIfNeeded: generator.next()))
        return number.isNaN ? 0.5 : number
      }, { one, generator in generator.chance(1, in: 2) ? one.nextUp : -one }, { .float($0) })
  }

  @Test func `every NaN comes last`() throws {
    let last = try key(.double(.nan), .double)
    #expect(last == (try key(.double(-.signalingNaN), .double)))
    #expect(order(try key(.double(.infinity), .double), last) == -1)
    let lastFloat = try key(.float(-.nan), .float)
    #expect(lastFloat == (try key(.float(.signalingNaN), .float)))
    #expect(order(try key(.float(.infinity), .float), lastFloat) == -1)
    // As with Foundation's Decimal, NaN is less than all numbers.
    let least = DecimalNumber(mantissa: .max, exponent: .max, isNegative: true)
    for other in [least, DecimalNumber(-1), DecimalNumber(0), DecimalNumber(.max)] {
      #expect(order(try key(.decimal(.nan), .decimal), try key(.decimal(other), .decimal)) == -1)
      #expect(DecimalNumber.nan < other && !(other < .nan) && other != .nan)
    }
  }

  /// A string that is ordered by its normal form, as in Swift. Swift's own `<` is not an order if
  /// neither string is in normal form and one begins the other: of "e\u{301}" and "\u{E9}\0"
  /// neither is less, and they are not equal.
  private struct Text: Comparable, CustomStringConvertible {
    var given: String
    var normal: String

    init(_ given: String) {
      self.given = given
      normal = given.precomposedStringWithCanonicalMapping
    }

    var description: String { String(reflecting: given) }
    static func == (one: Text, other: Text) -> Bool { one.given == other.given }
    static func < (one: Text, other: Text) -> Bool { one.normal < other.normal }
  }

  @Test func `strings are ordered like Swift's strings in normal form`() throws {
    let edges = [
      "", "\0", "\0\0", "a", "a\0", "a\0b", "ab", "b", "e\u{301}", "\u{E9}", "e", "f", "é\0", "\u{E9}a", "Å",
      "A\u{30A}",
      "\u{212B}", "ﬁ", "fi", "\u{1100}\u{1161}", "가", "각", "\u{AC00}\u{11A8}", "ẛ̣", "\u{1E9B}\u{323}",
      "q\u{307}\u{323}",
      "q\u{323}\u{307}", "🏳️‍🌈", "🏳", "\u{10FFFF}", "\u{FFFF}", "\u{D7FF}", "\u{E000}", "ß", "SS", "ı", "İ", "i\u{307}",
      "\u{344}", "\u{308}\u{301}", "\u{958}", "\u{915}\u{93C}", "\u{FB1D}", "\u{2126}", "\u{3A9}", "\u{F900}", "豈",
    ]
    let letters = [
      "a", "b", "\0", "e", "é", "\u{301}", "\u{323}", "\u{307}", "Å", "가", "\u{11A8}", "z", "🏳️‍🌈", "\u{FFFF}", "ﬁ",
    ]
    func make(_ generator: inout SplitMix64) -> String {
      (0..<generator.below(9)).map { _ in letters[generator.below(letters.count)] }.joined()
    }
    try compare(
      .string, edges: edges.map(Text.init), { Text(make(&$0)) },
      { one, generator in
        Text(
          generator.chance(1, in: 2)
            ? one.given + letters[generator.below(letters.count)] : String(one.given.dropLast()))
      }, { .string($0.given) })
    try compare(
      .string, edges: edges.map(Text.init),
      { generator in
        let scalars = (0..<generator.below(6)).compactMap { _ in Unicode.Scalar(UInt32(generator.below(0x11_0000))) }
        return Text(String(String.UnicodeScalarView(scalars)))
      }, { one, _ in Text(one.normal) }, { .string($0.given) })
  }

  @Test func `a long text is truncated, and the rest does not count`() throws {
    let long = String(repeating: "x", count: 512)
    let whole = try key(.string(long), .string)
    let cut = try key(.string(long + "a"), .string)
    #expect(whole.count == 514 && cut.count == 514)
    #expect(cut == (try key(.string(long + "b"), .string)))
    #expect(order(whole, cut) == -1)
    #expect(order(cut, try key(.string(String(repeating: "x", count: 511) + "y"), .string)) == -1)
  }

  @Test func `data, UUIDs and booleans`() throws {
    try compare(
      .uuid, edges: [UUIDNumber(high: 0, low: 0), UUIDNumber(high: 0, low: .max), UUIDNumber(high: .max, low: 0)],
      { UUIDNumber(high: $0.next(), low: $0.next()) },
      { one, generator in UUIDNumber(high: one.high, low: one.low &+ UInt64(generator.below(3))) }, { .uuid($0) })
    struct Bytes: Comparable {
      var bytes: [UInt8]
      static func < (one: Bytes, other: Bytes) -> Bool { one.bytes.lexicographicallyPrecedes(other.bytes) }
    }
    try compare(
      .data, edges: [[], [0], [0, 0], [0, 255], [0, 254], [255], [0, 1]].map(Bytes.init),
      { generator in Bytes(bytes: (0..<generator.below(6)).map { _ in UInt8([0, 1, 254, 255][generator.below(4)]) }) },
      { one, generator in Bytes(bytes: one.bytes + [UInt8(generator.below(2))]) }, { .data($0.bytes) })
    #expect(order(try key(.bool(false), .bool), try key(.bool(true), .bool)) == -1)
  }

  @Test func `decimals are equal however they are written`() throws {
    struct Number: Comparable {
      var number: DecimalNumber
      var double: Double
      static func == (one: Number, other: Number) -> Bool { one.double == other.double }
      static func < (one: Number, other: Number) -> Bool { one.double < other.double }
    }
    // Small numbers, which a double stores exactly after a multiplication by 10^8.
    func number(_ mantissa: Int, _ exponent: Int8) -> Number {
      var scaled = Double(mantissa)
      for _ in 0..<Int(exponent + 8) { scaled *= 10 }
      return Number(
        number: DecimalNumber(mantissa: UInt128(mantissa.magnitude), exponent: exponent, isNegative: mantissa < 0),
        double: scaled)
    }
    func make(_ generator: inout SplitMix64) -> Number {
      number(generator.below(2001) - 1000, Int8(generator.below(9)) - 8)
    }
    try compare(
      .decimal,
      edges: [
        number(0, 0), number(0, -3), number(1, 0), number(10, -1), number(-1, 0), number(-10, -1), number(999, -3),
      ],
      make, { one, generator in number(Int(one.number.mantissa) * 10, max(-8, one.number.exponent - 1)) },
      { .decimal($0.number) })
    let largest = DecimalNumber(mantissa: .max, exponent: 127)
    #expect(
      order(
        try key(.decimal(largest), .decimal), try key(.decimal(DecimalNumber(mantissa: .max, exponent: 126)), .decimal))
        == 1)
  }

  @Test func `row numbers keep their order and are read back`() throws {
    try compare(
      .reference(EntityID(1)), edges: [0, 1, 127, 128, 16_383, 16_384, 1 << 56 - 1, 1 << 56, .max].map { RowID($0) },
      { RowID($0.next() >> UInt64($0.below(64))) },
      { one, generator in RowID(one.number &+ UInt64(generator.below(2))) },
      { .reference($0) })
    var generator = SplitMix64(seed: 7)
    for _ in 0..<100_000 {
      let row = RowID(generator.next() >> UInt64(generator.below(64)))
      var buffer = ByteBuffer()
      buffer.append(9)
      KeyCoding.append(row: row, to: &buffer)
      #expect(KeyCoding.row(endOf: buffer.bytes, from: 1) == row)
      #expect(KeyCoding.row(endOf: buffer.bytes, from: buffer.count) == nil)
      buffer.append(0)
      #expect(KeyCoding.row(endOf: buffer.bytes, from: 1) == nil)
    }
  }

  @Test func `an inverted part sorts in the other direction`() throws {
    var generator = SplitMix64(seed: 3)
    for _ in 0..<20_000 {
      let (one, other) = (String(generator.below(5000)), String(generator.below(5000)))
      let keys = try [one, other].map { text in
        var buffer = ByteBuffer()
        buffer.append(7)
        try KeyCoding.append(.string(text), as: .string, to: &buffer)
        buffer.complement(from: 1)
        return [UInt8](buffer.bytes)
      }
      #expect(order(keys[0], keys[1]) == -order(one, other))
    }
  }
}
