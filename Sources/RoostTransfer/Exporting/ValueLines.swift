package import RoostRecords

/// Writes lines of values as a table or as JSON, without an entity.
package struct ValueLines {
  private let format: TextFormat
  private let columns: [(name: String, type: FieldType)]
  private var count = 0

  package init(_ format: TextFormat, _ columns: [(name: String, type: FieldType)]) {
    (self.format, self.columns) = (format, columns)
  }

  private var delimiter: UInt8? {
    if case .csv(let given, _) = format { given ?? Byte.comma } else { nil }
  }

  package func begin(_ text: inout [UInt8]) {
    if let delimiter {
      for (number, column) in columns.enumerated() {
        if number > 0 { text.append(delimiter) }
        ValueWriter.appendCell(Array(column.name.utf8), delimiter, to: &text)
      }
      text.append(Byte.newline)
    } else if format == .json {
      text.append(UInt8(ascii: "["))
    }
  }

  package mutating func add(_ values: [Value], to text: inout [UInt8]) {
    if format == .json { text += (count > 0 ? ",\n" : "\n").utf8 }
    count += 1
    if delimiter == nil { text.append(UInt8(ascii: "{")) }
    for (number, (column, value)) in zip(columns, values).enumerated() {
      if let delimiter {
        if number > 0 { text.append(delimiter) }
        ValueWriter.appendCell(value, as: column.type, delimiter: delimiter, to: &text)
      } else {
        if number > 0 { text += ", ".utf8 }
        ValueWriter.quote(column.name, to: &text)
        text += ": ".utf8
        ValueWriter.appendJSON(value, as: column.type, to: &text)
      }
    }
    if delimiter == nil { text.append(UInt8(ascii: "}")) }
    if format != .json { text.append(Byte.newline) }
  }

  package func end(_ text: inout [UInt8]) {
    if format == .json { text += (count > 0 ? "\n]\n" : "]\n").utf8 }
  }
}
