import RoostRecords
import RoostTransfer

/// The result of a question, as lines: rows, or groups of rows.
protocol Answer {
  /// The noun for counted lines.
  var noun: String { get }

  func lines(_ reader: RecordReader) throws -> AnswerLines

  /// Writes all lines in a format that programs read.
  func write(_ format: TextFormat, _ reader: RecordReader, to output: any ByteOutput) throws
}

/// The columns of an answer, and its lines. A cell is nil where the value is nil.
struct AnswerLines {
  var columns: [TextTable.Column]
  var forEach: ((_ cells: [String?]) throws -> Void) throws -> Void
}

extension Asked {
  var answer: any Answer { grouping == nil ? RowAnswer(asked: self) : GroupAnswer(asked: self) }
}

/// The rows of a class.
struct RowAnswer: Answer {
  let asked: Asked
  var noun: String { "row" }

  func lines(_ reader: RecordReader) throws -> AnswerLines {
    let query = try asked.query(reader.catalog)
    let listing = try RowListing(reader, of: asked.rows(reader.catalog), columns: asked.columns)
    return AnswerLines(columns: listing.columns.map { TextTable.Column(name: $0.name, isNumber: $0.isNumber) }) {
      body in
      try listing.forEach(query) { cells in
        try body(cells)
        return true
      }
    }
  }

  func write(_ format: TextFormat, _ reader: RecordReader, to output: any ByteOutput) throws {
    let rows = try asked.rows(reader.catalog)
    let exporter = Exporter(reader, format, columns: asked.columns, computes: true, of: rows)
    try exporter.write(asked.query(reader.catalog), to: output)
  }
}

/// Groups of rows.
struct GroupAnswer: Answer {
  let asked: Asked
  var noun: String { "group" }

  private func groups(_ reader: RecordReader) throws -> GroupRows? {
    guard let question = try asked.groups(reader.catalog) else { return nil }
    return GroupRows(question, try asked.query(reader.catalog), reader: reader)
  }

  func lines(_ reader: RecordReader) throws -> AnswerLines {
    guard let groups = try groups(reader) else { return AnswerLines(columns: []) { _ in } }
    let columns = groups.columns
    return AnswerLines(columns: columns.map { TextTable.Column(name: $0.name, isNumber: $0.type.isNumber) }) { body in
      try groups.forEach { values in
        try body(zip(columns, values).map { column, value in RowListing.text((value, column.type)) })
      }
    }
  }

  func write(_ format: TextFormat, _ reader: RecordReader, to output: any ByteOutput) throws {
    guard let groups = try groups(reader) else { return }
    var (lines, text) = (ValueLines(format, groups.columns), [UInt8]())
    lines.begin(&text)
    try groups.forEach { values in
      lines.add(values, to: &text)
      if text.count < 1 << 16 { return }
      try text.withUnsafeBytes { try output.write($0) }
      text.removeAll(keepingCapacity: true)
    }
    lines.end(&text)
    try text.withUnsafeBytes { try output.write($0) }
  }
}
