package import RoostRecords

/// Makes values from a record's tokens.
///
/// In a table an empty cell without quotes is nil, and a collection is written in its cell as in an
/// object. A text that contains a number is accepted as a number; a number is not accepted as a
/// text. The guide on importing has a table of what each type accepts.
package struct ValueReader {
  private let batch: RecordBatch
  let dates: DateReader
  /// Parses the content of a cell.
  private let inner: RecordBatch
  private let limits: TransferLimits

  package init(
    _ batch: RecordBatch, limits: TransferLimits = TransferLimits(), dates: DateReader = .automatic
  ) throws {
    self.batch = batch
    self.dates = dates
    self.limits = limits
    inner = try RecordBatch()
  }

  /// The value at a token, and the index after it.
  package func value(
    at token: Int, as type: FieldType, isOptional: Bool
  ) throws(ValueFault) -> (value: Value, next: Int) {
    var at = token
    if isNil(batch.tokens[at]) {
      guard isOptional else { throw ValueFault(.missing, "there is no value, and the field needs one") }
      return (.null, at + 1)
    }
    if batch.tokens[at].kind == .bare || batch.tokens[at].kind == .text, type.isCollection {
      let found = try inCell(batch.tokens[at], type.expected) { (inner, at) throws(ValueFault) in
        try value(inner, &at, type: type)
      }
      return (found, at + 1)
    }
    return (try value(batch, &at, type: type), at)
  }

  // MARK: Keys

  /// The key or the number of a row at a token, and the index after it.
  ///
  /// A number is `#12`. If keys are texts, which may look the same, it is in a list, `["#12"]`, and
  /// in a cell as `[#12]` without quotes.
  func key(at token: Int, _ way: KeyWay) throws(ValueFault) -> (value: Value, next: Int) {
    if batch.tokens[token].kind == .bare, way.isText {
      let bytes = batch.bytes(batch.tokens[token])
      if bytes.starts(with: ValueWriter.numberStart), bytes.last == UInt8(ascii: "]") {
        return (.reference(try Self.row(UnsafeRawBufferPointer(rebasing: bytes.dropFirst().dropLast()))), token + 1)
      }
    }
    var at = token
    return (try key(batch, &at, way: way), at)
  }

  /// The keys of a list, which is a text in a cell.
  func keys(at token: Int, _ way: KeyWay) throws(ValueFault) -> (values: [Value], next: Int) {
    if batch.tokens[token].kind == .bare || batch.tokens[token].kind == .text {
      let found = try inCell(batch.tokens[token], "a list") { (inner, at) throws(ValueFault) in
        try keys(inner, &at, way: way)
      }
      return (found, token + 1)
    }
    var at = token
    return (try keys(batch, &at, way: way), at)
  }

  private func keys(
    _ batch: RecordBatch, _ at: inout Int, way: KeyWay
  ) throws(ValueFault) -> [Value] {
    let token = batch.tokens[at]
    guard token.kind == .list else { throw ValueFault(.wrongType, "a list is expected") }
    let end = at + token.count
    at += 1
    var values: [Value] = []
    while at < end { values.append(try key(batch, &at, way: way)) }
    at = end + 1
    return values
  }

  private func key(
    _ batch: RecordBatch, _ at: inout Int, way: KeyWay
  ) throws(ValueFault) -> Value {
    let token = batch.tokens[at]
    let number = FieldType.reference(way.entity)
    if token.kind == .null { throw ValueFault(.missing, "an element may not be nil") }
    if token.kind == .list, way.isText {
      let numbers = try elements(batch, &at, element: .plain(number), type: number)
      guard numbers.count == 1 else { throw ValueFault(.wrongType, "a key, or a row's number in a list, is expected") }
      return numbers[0]
    }
    at += 1
    let isNumber =
      way.index == nil
      || (!way.isText && (token.kind == .text || token.kind == .bare)
        && batch.bytes(token).first == UInt8(ascii: "#"))
    return try Self.plain(batch, token, type: isNumber ? number : way.type, dates: dates)
  }

  package func isNil(_ token: Token) -> Bool { token.kind == .null || token.kind == .bare && token.count == 0 }

  /// A collection that is written as text in a cell.
  private func inCell<Result>(
    _ token: Token, _ expected: String, body: (RecordBatch, inout Int) throws(ValueFault) -> Result
  ) throws(ValueFault) -> Result {
    let wrong = ValueFault(.wrongType, "\(expected) is expected")
    do {
      inner.clear()
      try inner.text.append(batch.bytes(token))
      // So that the parser knows that a number is complete.
      try inner.text.append(Byte.newline)
      var parser = JSONParser(inner, 0..<inner.text.count, limits: limits)
      guard try parser.parse() == token.count else { throw wrong }
      var at = 0
      return try body(inner, &at)
    } catch let fault as ValueFault { throw fault } catch { throw wrong }
  }

  // MARK: Elements

  private func value(
    _ batch: RecordBatch, _ at: inout Int, type: ElementType
  ) throws(ValueFault) -> Value {
    switch type {
    case .plain(let field):
      if batch.tokens[at].kind == .null { throw ValueFault(.missing, "an element may not be nil") }
      return try value(batch, &at, type: field)
    case .optional(let inner):
      if batch.tokens[at].kind == .null {
        at += 1
        return .null
      }
      return try value(batch, &at, type: inner)
    case .structure(let parts):
      let token = batch.tokens[at]
      guard token.kind == .object else { throw ValueFault(.wrongType, "an object is expected") }
      let end = at + token.count
      at += 1
      var values = [Value?](repeating: nil, count: parts.count)
      while at < end {
        let name = batch.string(batch.tokens[at])
        at += 1
        guard let place = parts.firstIndex(where: { $0.name == name }) else {
          throw ValueFault(.unknown, "there is no part '\(name)'")
        }
        if values[place] != nil { throw ValueFault(.duplicate, "the part '\(name)' occurs twice") }
        values[place] = try value(batch, &at, type: parts[place].type)
      }
      at = end + 1
      return .structure(try Self.filled(values, parts))
    }
  }

  private static func filled(_ values: [Value?], _ parts: [ElementType.Part]) throws(ValueFault) -> [Value] {
    var all: [Value] = []
    for (value, part) in zip(values, parts) {
      if let value {
        all.append(value)
      } else if case .optional = part.type {
        all.append(.null)
      } else {
        throw ValueFault(.missing, "the part '\(part.name)' is missing")
      }
    }
    return all
  }

  private func value(
    _ batch: RecordBatch, _ at: inout Int, type: FieldType
  ) throws(ValueFault) -> Value {
    let token = batch.tokens[at]
    switch type {
    case .array(let element): return .array(try elements(batch, &at, element: element, type: type))
    case .set(let element):
      let values = try elements(batch, &at, element: element, type: type)
      let set = Set(values)
      if set.count < values.count { throw ValueFault(.duplicate, "an element occurs twice in the set") }
      return .set(set)
    case .dictionary(let key, let element): return .dictionary(try members(batch, &at, key: key, element: element))
    default:
      at += 1
      return try Self.plain(batch, token, type: type, dates: dates)
    }
  }

  private func elements(
    _ batch: RecordBatch, _ at: inout Int, element: ElementType, type: FieldType
  ) throws(ValueFault) -> [Value] {
    let token = batch.tokens[at]
    guard token.kind == .list else { throw ValueFault(.wrongType, "\(type.expected) is expected") }
    let end = at + token.count
    at += 1
    var values: [Value] = []
    while at < end { values.append(try value(batch, &at, type: element)) }
    at = end + 1
    return values
  }

  /// An object if the keys are texts, else a list of pairs.
  private func members(
    _ batch: RecordBatch, _ at: inout Int, key: ElementType, element: ElementType
  ) throws(ValueFault) -> [Value: Value] {
    let token = batch.tokens[at]
    guard token.kind == (key == .plain(.string) ? .object : .list) else {
      throw ValueFault(
        .wrongType, key == .plain(.string) ? "an object is expected" : "a list of pairs is expected")
    }
    let end = at + token.count
    at += 1
    var values: [Value: Value] = [:]
    while at < end {
      let name: Value
      if token.kind == .object {
        name = .string(batch.string(batch.tokens[at]))
        at += 1
      } else {
        guard batch.tokens[at].kind == .list else { throw ValueFault(.wrongType, "a pair is expected") }
        at += 1
        guard batch.tokens[at].kind != .end else { throw ValueFault(.wrongType, "a pair is expected") }
        name = try value(batch, &at, type: key)
        guard batch.tokens[at].kind != .end else { throw ValueFault(.wrongType, "a pair is expected") }
      }
      let found = try value(batch, &at, type: element)
      if token.kind == .list {
        guard batch.tokens[at].kind == .end else { throw ValueFault(.wrongType, "a pair is expected") }
        at += 1
      }
      if values.updateValue(found, forKey: name) != nil { throw ValueFault(.duplicate, "a key occurs twice") }
    }
    at = end + 1
    return values
  }

  // MARK: Plain values

  /// The value of a token that is not a collection. An error shows the text of the token.
  static func plain(
    _ batch: RecordBatch, _ token: Token, type: FieldType, dates: DateReader = .automatic
  ) throws(ValueFault) -> Value {
    do throws(ValueFault) { return try value(batch, token, type: type, dates: dates) } catch {
      var fault = error
      fault.found = batch.shown(token)
      throw fault
    }
  }

  private static func value(
    _ batch: RecordBatch, _ token: Token, type: FieldType, dates: DateReader
  ) throws(ValueFault) -> Value {
    let bytes = batch.bytes(token)
    switch token.kind {
    case .yes, .no:
      guard type == .bool || type == .presence else { throw ValueFault(.wrongType, "\(type.expected) is expected") }
      return .bool(token.kind == .yes)
    case .number where !type.takesNumbers:
      throw ValueFault(.wrongType, "\(type.expected) is expected")
    case .bare, .text, .number: break
    case .name, .null, .object, .list, .end: throw ValueFault(.wrongType, "\(type.expected) is expected")
    }
    switch type {
    case .bool, .presence: return .bool(try flag(bytes))
    case .int8: return .int(Int64(try NumberText.integer(bytes, as: Int8.self)))
    case .int16: return .int(Int64(try NumberText.integer(bytes, as: Int16.self)))
    case .int32: return .int(Int64(try NumberText.integer(bytes, as: Int32.self)))
    case .int64: return .int(try NumberText.integer(bytes))
    case .uint8: return .uint(UInt64(try NumberText.integer(bytes, as: UInt8.self)))
    case .uint16: return .uint(UInt64(try NumberText.integer(bytes, as: UInt16.self)))
    case .uint32: return .uint(UInt64(try NumberText.integer(bytes, as: UInt32.self)))
    case .uint64: return .uint(try NumberText.integer(bytes))
    case .float: return .float(try NumberText.float(bytes))
    case .double: return .double(try NumberText.double(bytes))
    case .decimal: return .decimal(try DecimalText.decimal(bytes))
    case .string: return .string(String(decoding: bytes, as: UTF8.self))
    case .url: return .url(try url(bytes))
    case .data: return .data(try BytesText.bytes(bytes))
    case .date: return .date(try dates.date(bytes, isNumber: token.kind == .number))
    case .uuid: return .uuid(try UUIDText.uuid(bytes))
    case .reference: return .reference(try row(bytes))
    case .array, .set, .dictionary: throw ValueFault(.wrongType, "\(type.expected) is expected")
    }
  }

  private static func flag(_ bytes: UnsafeRawBufferPointer) throws(ValueFault) -> Bool {
    switch String(decoding: bytes, as: UTF8.self).lowercased() {
    case "true", "1", "yes": return true
    case "false", "0", "no": return false
    default: throw ValueFault(.wrongType, "true or false is expected")
    }
  }

  private static func url(_ bytes: UnsafeRawBufferPointer) throws(ValueFault) -> String {
    guard !bytes.isEmpty, !bytes.contains(where: { $0 <= Byte.space }) else {
      throw ValueFault(.wrongType, "an address without spaces is expected")
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Reads `#` and a row's number.
  private static func row(_ bytes: UnsafeRawBufferPointer) throws(ValueFault) -> RowID {
    guard bytes.first == UInt8(ascii: "#"), bytes.count > 1 else {
      throw ValueFault(.wrongType, "a row is expected, as #12")
    }
    return RowID(try NumberText.integer(UnsafeRawBufferPointer(rebasing: bytes[1...])))
  }
}

extension FieldType {
  /// Whether blanks around a cell belong to the value.
  var keepsBlanks: Bool { if case .string = self { true } else { false } }

  var isCollection: Bool {
    switch self {
    case .array, .set, .dictionary: true
    default: false
    }
  }

  /// Whether a number without quotes may be a value of the type: some programs write 0 or 1 for a
  /// flag.
  fileprivate var takesNumbers: Bool {
    switch self {
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float, .double, .decimal: true
    case .bool, .date: true
    default: false
    }
  }

  /// The expected form, for messages.
  var expected: String {
    switch self {
    case .bool, .presence: "true or false"
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64: "an integer"
    case .float, .double, .decimal: "a number"
    case .string: "a text"
    case .data: "a text in base 64"
    case .date: "a date"
    case .uuid: "a UUID"
    case .url: "an address"
    case .reference: "a row"
    case .array, .set: "a list"
    case .dictionary: "an object, or a list of pairs"
    }
  }
}
