package import RoostRecords

/// One row with all its fields and relationships, as texts.
package struct RowPortrait: Sendable {
  package struct Field: Sendable {
    package var name: String
    /// Nil if the value is nil.
    package var text: String?
  }

  package struct Relation: Sendable {
    package var name: String
    package var target: String
    package var isToMany: Bool
    package var count: Int
    /// The keys of the first related rows, and their numbers.
    package var keys: [String]
    package var rows: [UInt64]
  }

  package let entity: String
  package let row: UInt64
  package let fields: [Field]
  package let relations: [Relation]
  /// The row as an exporter writes it.
  package let object: String

  /// Nil if the row does not exist.
  ///
  /// - Parameter most: The most rows to name for each relationship.
  package init?(_ id: RowID, of rows: RowClass, _ reader: RecordReader, most: Int) throws {
    let entity = rows.entity
    let (table, catalog) = (try reader.table(entity.id), reader.catalog)
    let columns = try ExportColumn.all(rows, reader)
    let relationships = rows.relationships(catalog)
    let names = Set(relationships.compactMap { rows.title(of: $0.name) })
    var fields: [Field] = []
    var object: [UInt8] = []
    let plain = columns.filter { !names.contains($0.name) }
    let shape = ExportShape(columns)
    guard try rows.has(id, table) else { return nil }
    var cursor = try table.cursor()
    guard try cursor.seek(id) else { return nil }
    let row = try cursor.row()
    for column in plain where column.type != .bool || !Self.isPresence(column) {
      fields.append(Field(name: column.name, text: RowListing.text(try column.value(row, table, reader: reader))))
    }
    try shape.append(row, table, reader: reader, to: &object)
    var relations: [Relation] = []
    for one in relationships {
      let way = KeyWay(one.target, catalog)
      let (count, targets) = try Self.targets(of: one, row, table, reader: reader, most: most)
      relations.append(
        Relation(
          name: rows.title(of: one.name) ?? one.name, target: catalog.name(of: one.target) ?? "?",
          isToMany: !one.isToOne, count: count,
          keys: try targets.map { RowListing.text(try ExportColumn.key(of: $0, way, reader)) ?? "#\($0.number)" },
          rows: targets.map(\.number)))
    }
    self.entity = rows.name
    self.row = id.number
    self.fields = fields
    self.relations = relations
    self.object = String(decoding: object, as: UTF8.self)
  }

  private static func isPresence(_ column: ExportColumn) -> Bool {
    if case .presence = column.content { true } else { false }
  }

  private static func targets(
    of one: Relationship, _ row: Row, _ table: TableReader, reader: RecordReader, most: Int
  ) throws -> (count: Int, first: [RowID]) {
    if case .one(let field) = one.shape {
      guard let access = table.access(field), case .reference(let target) = try table.value(access, row) else {
        return (0, [])
      }
      return (1, [target])
    }
    var cursor = try reader.links(one).cursor(of: row.id)
    var targets: [RowID] = []
    while targets.count < most, let target = try cursor.next() { targets.append(target) }
    return (cursor.count, targets)
  }
}

/// Finds one row by a user's text.
package enum RowKey {
  /// Finds a row by `#12`, or by the value of a unique field: the named one, else the first.
  package static func row(
    _ text: String, by field: String?, of rows: RowClass, _ reader: RecordReader
  ) throws -> RowID? {
    guard let found = try find(text, field, of: rows, reader: reader) else { return nil }
    return try rows.has(found, reader.table(rows.entity.id)) ? found : nil
  }

  private static func find(
    _ text: String, _ field: String?, of rows: RowClass, reader: RecordReader
  ) throws -> RowID? {
    let entity = rows.entity
    let table = try reader.table(entity.id)
    if field == nil, text.hasPrefix("#"), let number = UInt64(text.dropFirst()) {
      return RowID(number)
    }
    // A value that is unique among some rows only does not identify the others.
    let single = table.indexes.filter { reader in
      reader.index.isUnique && reader.index.parts.count == 1
        && reader.index.tests.allSatisfy { test in
          test.fields.allSatisfy { entity.field($0)?.name.hasPrefix("@") == true }
        }
    }
    let named = single.compactMap { reader in entity.field(reader.firstField).map { (reader.index.name, $0) } }.filter {
      rows.title(of: $0.1.name) != nil
    }
    let chosen = field.map { name in named.first { rows.title(of: $0.1.name) == name } } ?? named.first
    guard let (index, found) = chosen else {
      let known = named.compactMap { rows.title(of: $0.1.name) }
      throw TransferFault(
        .unknown,
        (field.map { "'\($0)' is not a unique field of \(rows.name)" } ?? "\(rows.name) has no unique field")
          + (known.isEmpty ? ": name the row by its number, as '#12'" : "; it has \(FieldNames.list(known))"))
    }
    let value: Value
    do throws(ValueFault) { value = try PlainText.value(text, found.type) } catch {
      throw TransferFault(error.code, error.detail, field: found.name)
    }
    return try table.row(unique: index, [value])
  }
}
