import Foundation
import RoostRecords
import RoostTestSupport
import RoostTransfer
import Testing

/// Values as text, and back.
@Suite struct ValueTextTests {
  private static func bytes<Result>(_ text: String, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows
    -> Result
  {
    try Array(text.utf8).withUnsafeBytes(body)
  }

  /// The value with the name `a` in a line of JSON, or in a cell.
  private static func read(_ text: [UInt8], _ format: TextFormat, as type: FieldType) throws -> Value {
    let reader = try TextReader(MemoryInput(text), format)
    let batch = try RecordBatch()
    try #require(try reader.next(batch))
    let record = try #require(batch.records.first)
    if let fault = record.fault { throw fault }
    // After the start of the object and the name.
    let at = record.tokens.lowerBound + (format == .jsonLines ? 2 : 0)
    let values = try ValueReader(batch)
    let (value, next) = try values.value(at: at, as: type, isOptional: true)
    #expect(next == record.tokens.upperBound - (format == .jsonLines ? 1 : 0))
    return value
  }

  private static func roundTrips(_ value: Value, _ type: FieldType) throws -> (json: Value, cell: Value) {
    var json = Array("{\"a\":".utf8)
    ValueWriter.appendJSON(value, as: type, to: &json)
    json += Array("}\n".utf8)
    var cell: [UInt8] = []
    ValueWriter.appendCell(value, as: type, to: &cell)
    cell += Array("\n".utf8)
    return (try read(json, .jsonLines, as: type), try read(cell, .csv(names: ["a"]), as: type))
  }

  @Test func `numbers`() throws {
    #expect(try Self.bytes("-128") { try NumberText.integer($0, as: Int8.self) } == -128)
    #expect(try Self.bytes("+18446744073709551615") { try NumberText.integer($0, as: UInt64.self) } == .max)
    for (text, code) in [
      ("128", TransferFault.Code.outOfRange), ("", .wrongType), ("-", .wrongType), ("1.0", .wrongType),
      (" 1", .wrongType), ("99999999999999999999", .outOfRange),
    ] {
      let fault = #expect(throws: ValueFault.self) {
        try Self.bytes(text) { try NumberText.integer($0, as: Int8.self) }
      }
      #expect(fault?.code == code)
    }
    for text in [
      "0.1", "-12.5", "1e308", "123456789012345", "0.000001", "5e-324", "3.141592653589793", "-0.0", "inf", "-INF",
    ] {
      #expect(try Self.bytes(text) { try NumberText.double($0) } == Double(text.lowercased()))
    }
    for text in ["", ".", "1.", "0x10", "nan(1)", "1e400", "infinity", " 1", "1_0", "--1", "1e"] {
      #expect(throws: ValueFault.self, "\(text)") { try Self.bytes(text) { try NumberText.double($0) } }
    }
    #expect(try Self.bytes("16777217.000000001") { try NumberText.float($0) } == Float("16777217.000000001"))
    #expect(throws: ValueFault.self) { try Self.bytes("1e39") { try NumberText.float($0) } }
  }

  @Test(arguments: 1...20)
  func `numbers by seed`(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<500 {
      let number = Double(bitPattern: random.next())
      let short = (Double.random(in: -1e6...1e6, using: &random) * 1000).rounded() / 1000
      for number in [number, short] where !number.isNaN {
        #expect(try Self.bytes(NumberText.text(number)) { try NumberText.double($0) } == number)
      }
      let float = Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
      if !float.isNaN { #expect(try Self.bytes(NumberText.text(float)) { try NumberText.float($0) } == float) }
      let mantissa =
        UInt128(random.next()) << 64 | UInt128(random.next()) >> UInt128.random(in: 0...120, using: &random)
      let decimal = DecimalNumber(
        mantissa: mantissa, exponent: Int8.random(in: -128...127, using: &random),
        isNegative: Bool.random(using: &random))
      let back = try? Self.bytes(DecimalText.text(decimal)) { try DecimalText.decimal($0) }
      #expect(back == decimal, "\(DecimalText.text(decimal))")
    }
  }

  @Test func `decimals`() throws {
    for (text, mantissa, exponent, isNegative) in [
      ("12.50", UInt128(1250), Int8(-2), false), ("-0.001", 1, -3, true), ("1e3", 1, 3, false),
      ("1000", 1000, 0, false),
      ("0", 0, 0, false), ("1.5E-2", 15, -3, false),
    ] {
      #expect(
        try Self.bytes(text) { try DecimalText.decimal($0) }
          == DecimalNumber(mantissa: mantissa, exponent: exponent, isNegative: isNegative))
    }
    for text in [
      "", "-", ".", "1..2", "1e", "e5", "12a", "1e999", "1e99999999999999999999", String(repeating: "9", count: 60),
    ] {
      #expect(throws: ValueFault.self, "\(text)") { try Self.bytes(text) { try DecimalText.decimal($0) } }
    }
  }

  @Test func `dates`() throws {
    func date(_ text: String) throws -> Double { try Self.bytes(text) { try DateText.date($0) } }
    #expect(try date("2001-01-01T00:00:00Z") == 0 && date("2001-01-01") == 0 && date("2001-01-01 01:00+01:00") == 0)
    #expect(try date("2024-02-29T12:30:15.250Z") == 730_902_615.25)
    #expect(try date("1969-12-31T23:59:59.5Z") == -978_307_200.5 && date("@-inf") == -.infinity)
    for text in [
      "", "2024", "2024-13-01", "2023-02-29", "2024-04-31", "2024-01-01T", "2024-01-01T25:00Z", "2024-01-01T00:00:00.Z",
      "2024-01-01T00:00Zx", "0000-01-01", "@", "@x",
    ] {
      #expect(throws: ValueFault.self, "\(text)") { try date(text) }
    }
    #expect(DateText.text(730_902_615.25) == "2024-02-29T12:30:15.25Z" && DateText.text(0) == "2001-01-01T00:00:00Z")
    #expect(DateText.text(1e300) == "@1e+300" && DateText.text(.nan) == "@nan")
  }

  @Test(arguments: 1...20)
  func `dates by seed, compared with Foundation`(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<200 {
      let date = Double.random(in: -6e10...2.5e11, using: &random)
      let some = [date, date.rounded(), (date * 1000).rounded() / 1000, Double(bitPattern: random.next()), date / 1e15]
      for date in some where !date.isNaN {
        let text = DateText.text(date)
        #expect(try Self.bytes(text) { try DateText.date($0) } == date, "\(text)")
      }
      let whole = Double.random(in: -1e9...1e10, using: &random).rounded()
      #expect(DateText.text(whole) == Date(timeIntervalSinceReferenceDate: whole).ISO8601Format())
    }
  }

  @Test(arguments: 0...40)
  func `bytes and UUIDs`(_ count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + count) }
    let text = BytesText.text(bytes)
    #expect(text == Data(bytes).base64EncodedString())
    #expect(try Self.bytes(text) { try BytesText.bytes($0) } == bytes)
    #expect(try Self.bytes(text.replacing("=", with: "")) { try BytesText.bytes($0) } == bytes)
    let uuid = UUID()
    let number = try Self.bytes(uuid.uuidString) { try UUIDText.uuid($0) }
    #expect(UUIDText.text(number) == uuid.uuidString)
    #expect(try Self.bytes(uuid.uuidString.lowercased()) { try UUIDText.uuid($0) } == number)
  }

  @Test func `values that are neither`() {
    for text in ["A", "AB=", "A===", "AB", "AQ=A", "A B=", "é"] where text != "AQ" {
      #expect(throws: ValueFault.self, "\(text)") { try Self.bytes(text) { try BytesText.bytes($0) } }
    }
    for text in [
      "", "123E4567-E89B-12D3-A456-42661417400", "123E4567-E89B-12D3-A456-42661417400G",
      "123E4567xE89B-12D3-A456-426614174000",
    ] {
      #expect(throws: ValueFault.self) { try Self.bytes(text) { try UUIDText.uuid($0) } }
    }
  }

  @Test(arguments: 1...150)
  func `every type is read back unchanged`(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let type = Self.type(&random, depth: 2)
    for _ in 0..<10 {
      let value = Self.value(&random, type)
      let back = try Self.roundTrips(value, type)
      #expect(back.json == value && back.cell == value, "seed \(seed)")
    }
    #expect(try Self.roundTrips(.null, type) == (.null, .null))
  }

  static func type(_ random: inout SplitMix64, depth: Int) -> FieldType {
    switch Int.random(in: 0...(depth > 0 ? 19 : 16), using: &random) {
    case 0: return .bool
    case 1: return .int8
    case 2: return .int16
    case 3: return .int32
    case 4: return .int64
    case 5: return .uint8
    case 6: return .uint16
    case 7: return .uint32
    case 8: return .uint64
    case 9: return .float
    case 10: return .double
    case 11: return .decimal
    case 12: return .string
    case 13: return .data
    case 14: return .date
    case 15: return .uuid
    case 16: return .url
    case 17: return .array(element(&random, depth: depth - 1))
    case 18: return .set(element(&random, depth: depth - 1))
    default:
      return .dictionary(
        .plain([.string, .int64, .uuid].randomElement(using: &random)!), element(&random, depth: depth - 1))
    }
  }

  private static func element(_ random: inout SplitMix64, depth: Int) -> ElementType {
    switch Int.random(in: 0...3, using: &random) {
    case 0: return .optional(.plain(type(&random, depth: depth)))
    case 1:
      return .structure([
        .init("é \"x", .plain(type(&random, depth: depth))), .init("b", .optional(.plain(type(&random, depth: depth)))),
      ])
    default: return .plain(type(&random, depth: depth))
    }
  }

  static func value(_ random: inout SplitMix64, _ type: FieldType) -> Value {
    let count = Int.random(in: 0...3, using: &random)
    switch type {
    case .bool, .presence: return .bool(Bool.random(using: &random))
    case .int8: return .int(Int64(Int8(truncatingIfNeeded: random.next())))
    case .int16: return .int(Int64(Int16(truncatingIfNeeded: random.next())))
    case .int32: return .int(Int64(Int32(truncatingIfNeeded: random.next())))
    case .int64: return .int(Int64(bitPattern: random.next()))
    case .uint8: return .uint(random.next() & 0xFF)
    case .uint16: return .uint(random.next() & 0xFFFF)
    case .uint32: return .uint(random.next() & 0xFFFF_FFFF)
    case .uint64: return .uint(random.next())
    case .float: return .float([0.1, -.infinity, Float(random.next())].randomElement(using: &random)!)
    case .double: return .double([0.1, .infinity, Double(random.next()), -2.5e-300].randomElement(using: &random)!)
    case .decimal: return .decimal(DecimalNumber(mantissa: UInt128(random.next()), exponent: -3, isNegative: true))
    case .string: return .string(["", "a", "\"é,\n\r\t\u{1}\\", "null", " x ", "1"].randomElement(using: &random)!)
    case .data: return .data((0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    case .date: return .date(Double.random(in: -1e9...1e9, using: &random))
    case .uuid: return .uuid(UUIDNumber(high: random.next(), low: random.next()))
    case .url: return .url("https://example.org/\(count)")
    case .reference: return .reference(RowID(random.next()))
    case .array(let element): return .array((0..<count).map { _ in value(&random, element) })
    case .set(let element): return .set(Set((0..<count).map { _ in value(&random, element) }))
    case .dictionary(let key, let element):
      return .dictionary(
        Dictionary((0..<count).map { _ in (value(&random, key), value(&random, element)) }) { first, _ in first })
    }
  }

  private static func value(_ random: inout SplitMix64, _ type: ElementType) -> Value {
    switch type {
    case .plain(let field): value(&random, field)
    case .optional(let inner): Bool.random(using: &random) ? .null : value(&random, inner)
    case .structure(let parts): .structure(parts.map { value(&random, $0.type) })
    }
  }
}
