import Foundation
import RoostQuery
import RoostRecords
import RoostTransfer

/// Writes a whole store as lines of JSON.
///
/// ## Layout
/// ```
/// {"dump":"roost","form":1,…}                         the schema: see DumpSchema
/// {"row": 12, "of": "Track", "values": ["Low", 1977]}  each row, in the order of the entity's fields
/// {"links": 3, "owner": 12, "rows": [1, 2]}            the list of a row in a relationship by links
/// {"order": 5, "owner": 1, "rows": [9, 2]}             a list of rows that reference one, in its order
/// {"end": true, "rows": 120, "lists": 7}
/// ```
struct DumpWriter {
  private let reader: RecordReader
  private let output: any ByteOutput
  private var text: [UInt8] = []
  private var lists = 0
  private(set) var rows = 0
  private let progress: (Int) -> Void

  init(_ reader: RecordReader, _ output: any ByteOutput, progress: @escaping (Int) -> Void) {
    (self.reader, self.output, self.progress) = (reader, output, progress)
  }

  /// Writes the whole store, and returns the number of rows.
  mutating func run() throws -> Int {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    text += try encoder.encode(DumpSchema(reader))
    try endLine()
    for entity in reader.catalog.entities { try write(entity) }
    for one in reader.catalog.relationships.sorted(by: { $0.id < $1.id }) {
      switch one.shape {
      case .one: break
      case .links: try writeLinks(one)
      case .manyByReference: if one.isOrdered { try writeOrders(one) }
      }
    }
    text += "{\"end\": true, \"rows\": \(rows), \"lists\": \(lists)}".utf8
    try endLine()
    try flush()
    try output.finish()
    return rows
  }

  private mutating func write(_ entity: Entity) throws {
    let table = try reader.table(entity.id)
    let fields = entity.fields.compactMap { field in table.access(field.id).map { ($0, field.type) } }
    var name: [UInt8] = []
    ValueWriter.quote(entity.name, to: &name)
    var cursor = try table.cursor()
    while let row = try cursor.nextRow(isBackward: false) {
      text += "{\"row\": \(row.id.number), \"of\": ".utf8
      text += name
      text += ", \"values\": [".utf8
      for (place, (access, type)) in fields.enumerated() {
        if place > 0 { text += ", ".utf8 }
        DumpText.append(try table.value(access, row), as: type, to: &text)
      }
      text += "]}".utf8
      rows += 1
      try endLine()
      if rows % 1024 == 0 { progress(rows) }
    }
  }

  /// Links are written on the first ordered side, and then the orders of the other side if it has
  /// some.
  private mutating func writeLinks(_ one: Relationship) throws {
    let otherIsOrdered = reader.catalog.inverse(of: one)?.isOrdered ?? false
    if one.id < one.inverse {
      if one.isOrdered || !otherIsOrdered { try writeLists(one, word: "links") { _ in true } }
    } else if one.isOrdered {
      try writeLists(one, word: otherIsOrdered ? "order" : "links") { _ in true }
    }
  }

  /// Lists in the order of their rows' numbers need no line.
  private mutating func writeOrders(_ one: Relationship) throws {
    try writeLists(one, word: "order") { rows in zip(rows, rows.dropFirst()).contains { $0.1 < $0.0 } }
  }

  private mutating func writeLists(
    _ one: Relationship, word: String, _ isNeeded: ([RowID]) -> Bool
  ) throws {
    let owners = try reader.table(one.entity)
    let members = try reader.links(one)
    var cursor = try owners.cursor()
    while let owner = try cursor.nextRow(isBackward: false)?.id {
      let rows = try members.rows(of: owner)
      if !rows.isEmpty, isNeeded(rows) {
        text += "{\"\(word)\": \(one.id.number), \"owner\": \(owner.number), \"rows\": [".utf8
        text += rows.map { "\($0.number)" }.joined(separator: ", ").utf8
        text += "]}".utf8
        lists += 1
        try endLine()
      }
    }
  }

  private mutating func endLine() throws {
    text.append(UInt8(ascii: "\n"))
    if text.count >= 1 << 16 { try flush() }
  }

  private mutating func flush() throws {
    try text.withUnsafeBytes { try output.write($0) }
    text.removeAll(keepingCapacity: true)
  }
}
