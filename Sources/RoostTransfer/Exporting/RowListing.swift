package import RoostQuery
package import RoostRecords

/// The rows of a query as short texts for display.
package struct RowListing {
  package struct Column: Sendable {
    package let name: String
    /// Whether the values are numbers, which are aligned right.
    package let isNumber: Bool
  }

  package let columns: [Column]
  private let sources: [ExportColumn]
  private let table: TableReader
  private let reader: RecordReader

  /// - Parameter names: The columns to show, in this order; nil for all, after the row's number.
  ///   `#` is the row's number.
  package init(_ reader: RecordReader, of rows: RowClass, columns names: [String]? = nil) throws {
    self.reader = reader
    table = try reader.table(rows.entity.id)
    sources =
      try names.map {
        try ExportColumn.named($0, among: ExportColumn.all(rows, reader), rows, reader: reader, computes: true)
      }
      ?? [ExportColumn.number(rows.entity)] + ExportColumn.all(rows, reader)
    columns = sources.map { Column(name: $0.name, isNumber: $0.type.isNumber) }
  }

  /// Calls `body` with the texts of each row, nil for nil, until it returns false. Returns the plan
  /// with its counts.
  @discardableResult
  package func forEach(_ query: Query, _ body: ([String?]) throws -> Bool) throws -> Plan {
    let plan = try Planner(Ground(reader)).plan(query)
    defer { for source in sources { source.rest() } }
    try plan.forEach { row in
      try body(try sources.map { try Self.text($0.value(row, table, reader: reader)) })
    }
    return plan
  }

  /// A value as a short text; nil for nil.
  package static func text(_ found: (value: Value, type: FieldType)) -> String? {
    if found.value.isNull { return nil }
    if !found.type.isCollection { return ValueWriter.plain(found.value) }
    var text: [UInt8] = []
    ValueWriter.appendJSON(found.value, as: found.type, to: &text)
    return String(decoding: text, as: UTF8.self)
  }
}

extension FieldType {
  /// Whether values are numbers, which are aligned right.
  package var isNumber: Bool {
    switch self {
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float, .double, .decimal, .reference: true
    default: false
    }
  }
}
