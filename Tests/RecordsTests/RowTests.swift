import RoostTestSupport
import Testing

@testable import RoostRecords

/// Rows contain the values that were put into them, and bytes that are not a row are refused.
@Suite struct RowTests {
  private static let plain: [FieldType] = [
    .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float, .double, .decimal, .date, .uuid,
    .reference(EntityID(3)), .string, .data, .url,
  ]

  private static func element(_ generator: inout SplitMix64, _ depth: Int) -> ElementType {
    switch generator.below(depth > 2 ? 2 : 4) {
    case 0, 1: .plain(depth > 2 ? plain[generator.below(plain.count)] : type(&generator, depth + 1))
    case 2: .optional(.plain(plain[generator.below(plain.count)]))
    default:
      .structure((0..<generator.below(3)).map { ElementType.Part("p\($0)", element(&generator, depth + 1)) })
    }
  }

  private static func type(_ generator: inout SplitMix64, _ depth: Int = 0) -> FieldType {
    switch generator.below(depth > 2 ? 1 : 6) {
    case 0...2: plain[generator.below(plain.count)]
    case 3: .array(element(&generator, depth))
    case 4: .set(.plain(plain[generator.below(plain.count)]))
    default: .dictionary(.plain(.string), element(&generator, depth))
    }
  }

  private static func value(_ type: FieldType, _ generator: inout SplitMix64) -> Value {
    let bits = generator.next() >> UInt64(generator.below(64))
    func text() -> String { String(bits, radix: 36) + ["", "é", "e\u{301}", "\0", "🏳️‍🌈"][Int(bits % 5)] }
    switch type {
    case .bool: return .bool(bits & 1 == 1)
    case .int8: return .int(Int64(Int8(truncatingIfNeeded: bits)))
    case .int16: return .int(Int64(Int16(truncatingIfNeeded: bits)))
    case .int32: return .int(Int64(Int32(truncatingIfNeeded: bits)))
    case .int64: return .int(Int64(bitPattern: bits))
    case .uint8: return .uint(bits & 0xFF)
    case .uint16: return .uint(bits & 0xFFFF)
    case .uint32: return .uint(bits & 0xFFFF_FFFF)
    case .uint64: return .uint(bits)
    case .float: return .float(Float(bits % 1000) / 8)
    case .double: return .double(Double(bits) / 7)
    case .date: return .date(Double(bits) / 9)
    case .decimal: return .decimal(DecimalNumber(mantissa: UInt128(bits), exponent: -3, isNegative: bits & 1 == 1))
    case .uuid: return .uuid(UUIDNumber(high: bits, low: ~bits))
    case .reference: return .reference(RowID(bits))
    case .string: return .string(text())
    case .url: return .url("https://" + text())
    case .data: return .data((0..<generator.below(40)).map { UInt8(truncatingIfNeeded: $0) })
    case .presence: return .bool(true)
    case .array(let element): return .array((0..<generator.below(4)).map { _ in value(element, &generator) })
    case .set(let element): return .set(Set((0..<generator.below(4)).map { _ in value(element, &generator) }))
    case .dictionary(let key, let element):
      return .dictionary(
        Dictionary((0..<generator.below(4)).map { _ in (value(key, &generator), value(element, &generator)) }) { $1 })
    }
  }

  private static func value(_ type: ElementType, _ generator: inout SplitMix64) -> Value {
    switch type {
    case .plain(let field): value(field, &generator)
    case .optional(let inner): generator.chance(1, in: 3) ? .null : value(inner, &generator)
    case .structure(let parts): .structure(parts.map { value($0.type, &generator) })
    }
  }

  private static func layout(_ generator: inout SplitMix64, fields: Int) -> Layout {
    Layout(
      version: UInt16(generator.below(500)),
      (0..<fields).map { Layout.Member(FieldID(UInt16($0)), type(&generator), isOptional: generator.chance(1, in: 2)) })
  }

  /// Compares so that NaN equals itself.
  private func isSame(_ one: Value, _ other: Value) -> Bool { one == other }

  @Test(arguments: UInt64(1)...60) func `values that are put into a row are read from it`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let layout = Self.layout(&generator, fields: generator.below(24))
    var builder = RowBuilder(layout)
    for _ in 0..<30 {
      var expected = layout.members.map { $0.isOptional ? Value.null : nil }
      builder.clear()
      // Some values are put twice, some never.
      for _ in 0..<layout.members.count * 2 {
        let index = generator.below(layout.members.count)
        let member = layout.members[index]
        let value: Value =
          member.isOptional && generator.chance(1, in: 4) ? .null : Self.value(member.type, &generator)
        try builder.set(layout.slots[index], value)
        expected[index] = value
      }
      let row = try bytes(builder)
      #expect(row.count == builder.byteCount)
      row.withUnsafeBytes { row in
        #expect(layout.admits(row))
        #expect(Layout.version(of: row) == layout.version)
        for (index, value) in expected.enumerated() {
          let found = layout.value(row.baseAddress!, layout.slots[index])
          if let value { #expect(found == value) }
        }
      }
      // A row that is copied and written again stays the same.
      var copy = RowBuilder(layout)
      row.withUnsafeBytes { copy.load($0) }
      #expect(try bytes(copy) == row)
    }
  }

  private func bytes(_ builder: borrowing RowBuilder) throws -> [UInt8] {
    var row = [UInt8](repeating: 0xEE, count: builder.byteCount)
    try row.withUnsafeMutableBytes { try builder.write(to: $0.baseAddress!) }
    return row
  }

  @Test func `a value of another type, too large or missing is an error`() throws {
    let layout = Layout(
      version: 1, [.init(FieldID(1), .int8), .init(FieldID(2), .string), .init(FieldID(3), .uint64, isOptional: true)])
    var builder = RowBuilder(layout)
    func code(_ slot: Int, _ value: Value) -> RecordFault.Code? {
      do throws(RecordFault) {
        try builder.set(layout.slots[slot], value)
        return nil
      } catch { return error.code }
    }
    #expect(code(0, .int(128)) == .outOfRange)
    #expect(code(0, .int(-129)) == .outOfRange)
    #expect(code(0, .string("1")) == .wrongType)
    #expect(code(0, .null) == .missing)
    #expect(code(1, .int(1)) == .wrongType)
    #expect(code(2, .int(-1)) == .outOfRange)
    #expect(code(2, .null) == nil)
    #expect(code(2, .uint(.max)) == nil)
    #expect(code(1, .string(String(repeating: "x", count: 40_000))) == nil)
    #expect(throws: RecordFault.self) { _ = try bytes(builder) }
  }

  @Test(arguments: UInt64(1)...20) func `bytes that are not a row are refused, or can be read`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let layout = Self.layout(&generator, fields: 12)
    var builder = RowBuilder(layout)
    for index in layout.members.indices {
      try builder.set(layout.slots[index], Self.value(layout.members[index].type, &generator))
    }
    let row = try bytes(builder)
    for _ in 0..<3000 {
      var damaged = row
      switch generator.below(3) {
      case 0: damaged[generator.below(row.count)] ^= UInt8(1 << generator.below(8))
      case 1: damaged.removeLast(generator.below(row.count) + 1)
      default: damaged.append(UInt8(generator.below(256)))
      }
      damaged.withUnsafeBytes { bytes in
        guard layout.admits(bytes) else { return }
        // No trap, and no read outside. The checksum, not this test, verifies the value.
        for slot in layout.slots { _ = layout.value(bytes.baseAddress!, slot) }
      }
    }
  }

  @Test(arguments: 0...9) func `ends that do not ascend are refused, wherever they are`(fields: Int) {
    let layout = Layout(version: 0, (0..<fields).map { Layout.Member(FieldID(UInt16($0)), .data, isOptional: false) })
    var generator = SplitMix64(seed: UInt64(fields))
    for _ in 0..<4000 {
      var ends: [Int] = []
      for _ in 0..<fields { ends.append((ends.last ?? 0) + generator.below(20)) }
      // A value outside of its row leaves eight bytes, and the highest bit marks it.
      var isOutside = ends.map { _ in false }
      for number in ends.indices where generator.chance(1, in: 6) {
        isOutside[number] = true
        if generator.chance(3, in: 4) { ends[number] = (number == 0 ? 0 : ends[number - 1]) + 8 }
      }
      if fields > 0, generator.chance(1, in: 3) { ends[generator.below(fields)] = generator.below(0x8000) }
      var row = [UInt8](repeating: 0, count: layout.bytesStart)
      for (number, end) in ends.enumerated() {
        let word = UInt16(end) | (isOutside[number] ? 0x8000 : 0)
        row[layout.endsStart + 2 * number] = UInt8(truncatingIfNeeded: word)
        row[layout.endsStart + 2 * number + 1] = UInt8(truncatingIfNeeded: word >> 8)
      }
      row += [UInt8](repeating: 7, count: ends.last ?? 0)
      let starts = [0] + ends
      let isRow = ends.indices.allSatisfy { isOutside[$0] ? ends[$0] - starts[$0] == 8 : ends[$0] >= starts[$0] }
      #expect(row.withUnsafeBytes { layout.admits($0) } == isRow, "\(ends) \(isOutside)")
    }
  }
}
