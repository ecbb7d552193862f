internal import RoostQuery
internal import RoostRecords

/// Finds the objects that prevent a property from being unique.
extension SchemaKeeper {
  /// A more detailed error in place of one that names two rows; nil if there are no equal values.
  func duplicates(_ fault: RecordFault, _ wanted: Catalog, reader: RecordReader) throws -> MigrationFault? {
    guard let name = fault.entity, let entity = wanted.entity(name), let table = try? reader.table(name) else {
      return nil
    }
    for index in wanted.indexes(of: entity.id) where index.isUnique && !reader.catalog.indexes.contains(index) {
      let accesses = index.parts.compactMap { table.access($0.field) }
      if accesses.count != index.parts.count { continue }
      // Rows that store nil will show these values once the property is required.
      let defaults = index.parts.map { part -> Value in
        guard let field = entity.field(part.field), !field.isOptional else { return .null }
        return field.initial ?? field.type.empty
      }
      guard let found = try groups(table, accesses, defaults: defaults, of: index, in: entity) else { continue }
      let groups = found.groups == 1 ? "a group of objects has" : "\(found.groups) groups of objects have"
      let rows = found.rows.map { row in "row \(row.id.number) has \(row.values.map(Self.text).joined(separator: ", "))"
      }
      let owner = models.first { $0.type.root.name == name }
      let paths = index.parts.compactMap { entity.field($0.field)?.name }.joined(separator: ", ")
      return MigrationFault(
        owner?.type.name ?? name, paths,
        detail:
          "the model wants it unique, and \(groups) the same value: \(rows.joined(separator: "; ")). Change or delete all but "
          + "one of each with the models of the old version, or in a custom stage of a migration plan")
    }
    return nil
  }

  /// The number of values that several rows have, and the first few of those rows.
  private func groups(
    _ table: TableReader, _ accesses: [FieldAccess], defaults: [Value], of index: Index, in entity: Entity
  ) throws -> (groups: Int, rows: [(id: RowID, values: [Value])])? {
    let alike = try DuplicateValues.find(table, accesses, defaults: defaults, most: 3) { body in
      var cursor = try table.cursor()
      while try cursor.next() {
        let row = try cursor.row()
        if try Self.admits(row, index, of: entity, table: table) { try body(row) }
      }
    }
    let groups = alike.filter { $0.value.count > 1 }
    let rows = groups.flatMap { values, rows in rows.map { (id: $0, values: values) } }.sorted { $0.id < $1.id }
    // The first few groups completely.
    let shown = Set(rows.prefix(3).map(\.values))
    return groups.isEmpty ? nil : (groups.count, Array(rows.filter { shown.contains($0.values) }.prefix(6)))
  }

  /// Whether a row fulfils the condition of an index of the changed entity.
  private static func admits(_ row: Row, _ index: Index, of entity: Entity, table: TableReader) throws -> Bool {
    try index.tests.allSatisfy { test in
      try test.alternatives.contains { one in
        guard let id = one.fields.first, let field = entity.field(id) else { return false }
        var value = try table.access(id).map { try table.value($0, row) } ?? .null
        // A row without a value will show this one once the property is required.
        if value.isNull, !field.isOptional || table.access(id) == nil { value = field.initial ?? value }
        return one.admits(value)
      }
    }
  }

  static func text(_ value: Value) -> String {
    switch value {
    case .string(let text), .url(let text): "\"\(text.prefix(40))\""
    case .int(let number): "\(number)"
    case .uint(let number): "\(number)"
    case .double(let number): "\(number)"
    case .bool(let flag): "\(flag)"
    case .reference(let row): "a reference to row \(row.number)"
    default: "\(value)"
    }
  }
}
