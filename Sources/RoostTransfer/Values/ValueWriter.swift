package import RoostRecords

/// Writes values as text that ``ValueReader`` reads back.
package enum ValueWriter {
  /// Appends a value as part of a JSON object.
  package static func appendJSON(_ value: Value, as type: FieldType, to text: inout [UInt8]) {
    switch (type, value) {
    case (_, .null): text += "null".utf8
    case (_, .bool(let flag)): text += (flag ? "true" : "false").utf8
    case (_, .int), (_, .uint): text += plain(value).utf8
    case (_, .float), (_, .double), (_, .decimal):
      let number = plain(value)
      // JSON cannot write infinite numbers or NaN.
      if number.utf8.contains(UInt8(ascii: "n")) { quote(number, to: &text) } else { text += number.utf8 }
    case (.array(let element), .array(let values)): list(values.map { json($0, element) }, to: &text)
    case (.set(let element), .set(let values)):
      list(values.map { json($0, element) }.sorted { $0.lexicographicallyPrecedes($1) }, to: &text)
    case (.dictionary(let key, let element), .dictionary(let members)):
      let pairs = members.map { (name: json($0.key, key), value: json($0.value, element)) }
        .sorted { $0.name.lexicographicallyPrecedes($1.name) }
      if key == .plain(.string) {
        object(pairs, to: &text)
      } else {
        list(pairs.map { [UInt8(ascii: "[")] + $0.name + [Byte.comma] + $0.value + [UInt8(ascii: "]")] }, to: &text)
      }
    // A row's number if keys are texts.
    case (_, .array(let values)): list(values.map { json($0, .plain(type)) }, to: &text)
    default: quote(plain(value), to: &text)
    }
  }

  /// The beginning of a row's number in a cell if keys are texts. No text begins like this without
  /// quotes.
  static var numberStart: [UInt8] { Array("[#".utf8) }

  private static func json(_ value: Value, _ type: ElementType) -> [UInt8] {
    var text: [UInt8] = []
    switch (type, value) {
    case (_, .null): text += "null".utf8
    case (.optional(let inner), _): return json(value, inner)
    case (.plain(let field), _): appendJSON(value, as: field, to: &text)
    case (.structure(let parts), .structure(let values)):
      var pairs: [(name: [UInt8], value: [UInt8])] = []
      for (part, value) in zip(parts, values) {
        var name: [UInt8] = []
        quote(part.name, to: &name)
        pairs.append((name, json(value, part.type)))
      }
      object(pairs, to: &text)
    case (.structure, _): text += "null".utf8
    }
    return text
  }

  private static func list(_ parts: [[UInt8]], to text: inout [UInt8]) {
    text.append(UInt8(ascii: "["))
    for (number, part) in parts.enumerated() {
      if number > 0 { text.append(Byte.comma) }
      text += part
    }
    text.append(UInt8(ascii: "]"))
  }

  private static func object(_ pairs: [(name: [UInt8], value: [UInt8])], to text: inout [UInt8]) {
    text.append(UInt8(ascii: "{"))
    for (number, pair) in pairs.enumerated() {
      if number > 0 { text.append(Byte.comma) }
      text += pair.name
      text.append(Byte.colon)
      text += pair.value
    }
    text.append(UInt8(ascii: "}"))
  }

  /// A text in quotes, with the escapes that JSON requires.
  package static func quote(_ plain: String, to text: inout [UInt8]) {
    text.append(Byte.quote)
    for byte in plain.utf8 {
      switch byte {
      case Byte.quote, Byte.backslash:
        text.append(Byte.backslash)
        text.append(byte)
      case Byte.newline: text += "\\n".utf8
      case Byte.carriageReturn: text += "\\r".utf8
      case 0x09: text += "\\t".utf8
      case 0..<0x20:
        text += "\\u00".utf8
        text += (byte < 0x10 ? "0" : "1").utf8
        text += String(byte & 15, radix: 16).utf8
      default: text.append(byte)
      }
    }
    text.append(Byte.quote)
  }

  /// Appends a value as a cell of a table. Nil is an empty cell, and an empty text is written in
  /// quotes.
  package static func appendCell(
    _ value: Value, as type: FieldType, delimiter: UInt8 = Byte.comma, to text: inout [UInt8]
  ) {
    if value.isNull { return }
    if !type.isCollection, case .array = value { return text += plain(value).utf8 }
    var cell: [UInt8] = []
    if type.isCollection { appendJSON(value, as: type, to: &cell) } else { cell += plain(value).utf8 }
    appendCell(cell, delimiter, to: &text)
  }

  static func appendCell(_ cell: [UInt8], _ delimiter: UInt8, to text: inout [UInt8]) {
    let needsQuotes =
      cell.contains { byte in
        byte == delimiter || byte == Byte.quote || byte == Byte.newline || byte == Byte.carriageReturn || byte == 0
      } || cell.starts(with: numberStart)
    guard needsQuotes || cell.isEmpty else {
      text += cell
      return
    }
    text.append(Byte.quote)
    for byte in cell {
      if byte == Byte.quote { text.append(byte) }
      text.append(byte)
    }
    text.append(Byte.quote)
  }

  /// The text of a value that is not a collection, without quotes.
  package static func plain(_ value: Value) -> String {
    switch value {
    case .null, .set, .dictionary, .structure: ""
    case .array(let values): "[" + values.map(plain).joined(separator: ",") + "]"
    case .bool(let flag): flag ? "true" : "false"
    case .int(let number): String(number)
    case .uint(let number): String(number)
    case .float(let number): NumberText.text(number)
    case .double(let number): NumberText.text(number)
    case .decimal(let number): DecimalText.text(number)
    case .string(let text), .url(let text): text
    case .data(let bytes): BytesText.text(bytes)
    case .date(let date): DateText.text(date)
    case .uuid(let uuid): UUIDText.text(uuid)
    case .reference(let row): "#\(row.number)"
    }
  }
}
