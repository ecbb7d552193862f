import RoostRecords
import RoostTransfer

/// Values in a dump, as text from which exactly the same bits are read back.
///
/// Most values are written as in an export. Numbers that a `Double` cannot hold are in quotes. A NaN is written by its bits, as
/// `"0x7ff8000000000000"`. A reference is the number of its row.
enum DumpText {
  private static let exact: UInt64 = 1 << 53

  static func append(_ value: Value, as type: FieldType, to text: inout [UInt8]) {
    switch value {
    case .int(let number) where number.magnitude > exact: ValueWriter.quote("\(number)", to: &text)
    case .uint(let number) where number > exact: ValueWriter.quote("\(number)", to: &text)
    case .double(let number) where number.isNaN, .date(let number) where number.isNaN:
      ValueWriter.quote("0x" + String(number.bitPattern, radix: 16), to: &text)
    case .float(let number) where number.isNaN:
      ValueWriter.quote("0x" + String(number.bitPattern, radix: 16), to: &text)
    case .decimal(let number) where ValueWriter.plain(.decimal(number)).utf8.count > 16:
      ValueWriter.quote(ValueWriter.plain(.decimal(number)), to: &text)
    case .reference(let row): text += "\(row.number)".utf8
    default: ValueWriter.appendJSON(value, as: type, to: &text)
    }
  }

  /// The value at a token, and the index after it.
  static func value(
    at token: Int, as type: FieldType, _ batch: RecordBatch, reader: ValueReader
  ) throws(ValueFault) -> (value: Value, next: Int) {
    let found = batch.tokens[token]
    if found.kind == .null { return (.null, token + 1) }
    switch type {
    case .presence:
      guard found.kind == .yes else { throw ValueFault(.wrongType, "true or null is expected") }
      return (.bool(true), token + 1)
    case .reference:
      let number: UInt64 = try number(found, batch)
      return (.reference(RowID(number)), token + 1)
    case .double, .float, .date:
      guard found.kind == .text, let bits = bits(batch.string(found)) else { break }
      if type == .date { return (.date(Double(bitPattern: bits)), token + 1) }
      if type == .double { return (.double(Double(bitPattern: bits)), token + 1) }
      guard let bits = UInt32(exactly: bits) else { throw ValueFault(.outOfRange, "a Float has 32 bits") }
      return (.float(Float(bitPattern: bits)), token + 1)
    default: break
    }
    return try reader.value(at: token, as: type, isOptional: true)
  }

  /// A whole number, possibly in quotes.
  static func number(_ token: Token, _ batch: RecordBatch) throws(ValueFault) -> UInt64 {
    guard token.kind == .number || token.kind == .text else { throw ValueFault(.wrongType, "a number is expected") }
    return try NumberText.integer(batch.bytes(token))
  }

  private static func bits(_ text: String) -> UInt64? {
    text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : nil
  }

  /// Writes a single value as text, and reads it back.
  static func text(_ value: Value, as type: FieldType) -> String {
    var text: [UInt8] = []
    append(value, as: type, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  static func value(_ text: String, as type: FieldType) throws -> Value {
    let batch = try RecordBatch()
    // In a list, because a record is an object or a list.
    let input = MemoryInput(Array("{\"value\": \(text)}\n".utf8))
    let source = try TextReader(input, .jsonLines)
    guard try source.next(batch), let record = batch.records.first, record.fault == nil, record.tokens.count >= 4 else {
      throw ValueFault(.syntax, "'\(text)' is no value")
    }
    let (value, next) = try self.value(
      at: record.tokens.lowerBound + 2, as: type, batch, reader: ValueReader(batch))
    guard next == record.tokens.upperBound - 1 else { throw ValueFault(.syntax, "'\(text)' is no value") }
    return value
  }
}
