internal import RoostFile
package import RoostQuery
package import RoostRecords

/// Writes the rows of a query as text that an ``Importer`` can read back.
///
/// References are written as the keys of their targets, so they are valid in other stores. If an
/// entity has no unique field, they are written as row numbers, which are valid in this store only.
package struct Exporter {
  private let reader: RecordReader
  private let format: TextFormat
  private let names: [String]?
  private let computes: Bool
  /// The class of the rows; nil for the entity of a query.
  private let rows: RowClass?
  /// The name of a field in the text; nil if it is left out.
  private let name: (String) -> String?
  /// The number of bytes that are written at once.
  private let piece = 1 << 16

  /// - Parameters:
  ///   - format: For a table, `names` lists the columns to write, in this order.
  ///   - columns: The columns for any format; `#` is the row's number. Without some columns the
  ///       text may not be importable.
  ///   - rows: The class whose properties are written, if it is not a topmost one.
  ///   - computes: Whether columns may be computed for each row, such as `album.title`.
  package init(
    _ reader: RecordReader, _ format: TextFormat, columns: [String]? = nil, computes: Bool = false,
    of rows: RowClass? = nil, name: @escaping (String) -> String? = { $0 }
  ) {
    self.rows = rows
    self.reader = reader
    self.format = format
    self.name = name
    self.computes = computes
    if case .csv(_, let names?) = format { self.names = names } else { names = columns }
  }

  /// Writes all rows of a query, and returns their number. It calls `isCancelled` from time to
  /// time. If that returns true, the text remains incomplete and a `CancellationError` is thrown.
  @discardableResult
  package func write(
    _ query: Query, to output: any ByteOutput, isCancelled: @escaping () -> Bool = { false }
  ) throws -> Int {
    try write(query.entity, to: output, isCancelled: isCancelled) { add in
      try Planner(Ground(reader)).plan(query).forEach(add)
    }
  }

  /// Writes rows by their numbers, in this order. Missing rows are left out.
  @discardableResult
  package func write(
    _ rows: some Sequence<RowID>, of entity: String, to output: any ByteOutput,
    isCancelled: @escaping () -> Bool = { false }
  ) throws -> Int {
    try write(entity, to: output, isCancelled: isCancelled) { add in
      let table = try reader.table(entity)
      for id in rows {
        var failure: (any Error)?
        let goesOn = try table.withRow(id) { (row) throws(StoreError) -> Bool in
          do { return try add(row) } catch {
            failure = error
            return false
          }
        }
        if let failure { throw failure }
        if goesOn == false { break }
      }
    }
  }

  private func write(
    _ entity: String, to output: any ByteOutput, isCancelled: @escaping () -> Bool,
    _ rows: ((Row) throws -> Bool) throws -> Void
  ) throws -> Int {
    guard let entity = reader.catalog.entity(entity) else {
      throw TransferFault(
        .unknown,
        "the store has no '\(entity)'; it has \(FieldNames.list(reader.catalog.entities.map(\.name)))")
    }
    let asked = self.rows ?? RowClass(entity)
    if !asked.isSubclass, entity.fields.isEmpty,
      reader.catalog.entities.contains(where: { $0.field(FieldNames.kind) != nil })
    {
      throw TransferFault(
        .unknown,
        "'\(entity.name)' has no rows of its own: its objects are rows of the class that it inherits from, so export that"
      )
    }
    var columns = try ExportColumn.all(asked, reader).compactMap { column in
      name(column.name).map { name in
        var column = column
        column.name = name
        return column
      }
    }
    if let names { columns = try ExportColumn.named(names, among: columns, asked, reader: reader, computes: computes) }
    defer { for column in columns { column.rest() } }
    let delimiter: UInt8? = if case .csv(let given, _) = format { given ?? Byte.comma } else { nil }
    var text: [UInt8] = []
    var count = 0
    if let delimiter {
      for (number, column) in columns.enumerated() {
        if number > 0 { text.append(delimiter) }
        ValueWriter.appendCell(Array(column.name.utf8), delimiter, to: &text)
      }
      text.append(Byte.newline)
    } else if format == .json {
      text.append(UInt8(ascii: "["))
    }
    let table = try reader.table(entity.id)
    let shape = ExportShape(columns)
    var wasCancelled = false
    try rows { row in
      if format == .json { text += (count > 0 ? ",\n" : "\n").utf8 }
      if let delimiter {
        try appendLine(row, columns, table: table, delimiter: delimiter, text: &text)
      } else {
        try shape.append(row, table, reader: reader, to: &text)
        if format == .jsonLines { text.append(Byte.newline) }
      }
      count += 1
      if text.count >= piece {
        try text.withUnsafeBytes { try output.write($0) }
        text.removeAll(keepingCapacity: true)
        wasCancelled = isCancelled()
        return !wasCancelled
      }
      return true
    }
    // Incomplete output must not look complete.
    if wasCancelled { throw CancellationError() }
    if format == .json { text += (count > 0 ? "\n]\n" : "]\n").utf8 }
    try text.withUnsafeBytes { try output.write($0) }
    try output.finish()
    return count
  }

  private func appendLine(
    _ row: Row, _ columns: [ExportColumn], table: TableReader, delimiter: UInt8, text: inout [UInt8]
  ) throws {
    for (number, column) in columns.enumerated() {
      if number > 0 { text.append(delimiter) }
      let (value, type) = try column.value(row, table, reader: reader)
      let start = text.count
      ValueWriter.appendCell(value, as: type, delimiter: delimiter, to: &text)
      if case .string = value, text[start...].contains(0) {
        throw TransferFault(
          .encoding, "the text of row \(row.id.number) contains a NUL, which a table cannot: export JSON",
          field: column.name)
      }
    }
    text.append(Byte.newline)
  }
}

/// How the parts of structs are nested in objects.
struct ExportShape {
  private indirect enum Node {
    case column(ExportColumn)
    /// A struct: whether it exists, and its parts.
    case structure(presence: ExportColumn?, [(name: String, node: Node)])
  }

  private var members: [(name: String, node: Node)] = []

  init(_ columns: [ExportColumn]) { members = Self.members(columns, above: "") }

  private static func members(_ columns: [ExportColumn], above: String) -> [(name: String, node: Node)] {
    var found: [(name: String, node: Node)] = []
    var done: Set<String> = []
    for column in columns {
      // A class's name begins with the same sign as our own fields.
      let rest = column.name.dropFirst(above.count)
      let name = column.isComputed ? column.name : String(rest.prefix { $0 != "." })
      guard done.insert(name).inserted else { continue }
      let path = above + name
      let inner = column.isComputed ? [] : columns.filter { !$0.isComputed && $0.name.hasPrefix(path + ".") }
      if inner.isEmpty {
        found.append((name, .column(column)))
      } else {
        let presence = columns.first { !$0.isComputed && $0.name == path }
        found.append((name, .structure(presence: presence, members(inner, above: path + "."))))
      }
    }
    return found
  }

  func append(_ row: Row, _ table: TableReader, reader: RecordReader, to text: inout [UInt8]) throws {
    try append(members, row, table: table, reader: reader, to: &text)
  }

  private func append(
    _ members: [(name: String, node: Node)], _ row: Row, table: TableReader, reader: RecordReader,
    to text: inout [UInt8]
  ) throws {
    text.append(UInt8(ascii: "{"))
    for (number, member) in members.enumerated() {
      if number > 0 { text += ", ".utf8 }
      ValueWriter.quote(member.name, to: &text)
      text += ": ".utf8
      switch member.node {
      case .column(let column):
        let (value, type) = try column.value(row, table, reader: reader)
        ValueWriter.appendJSON(value, as: type, to: &text)
      case .structure(let presence, let inner):
        if let presence, try presence.value(row, table, reader: reader).value.isNull {
          text += "null".utf8
        } else {
          try append(inner, row, table: table, reader: reader, to: &text)
        }
      }
    }
    text.append(UInt8(ascii: "}"))
  }
}
