internal import RoostRecords

/// Values that the code of a migration stage has to set.
extension GraphStore {
  /// Throws if rows still have no value for a property that was new or changed its type, and has no default.
  package func checkFilled() throws {
    for (name, property) in pending {
      guard let map = map(named: name), let number = map.type.properties.firstIndex(where: { $0.name == property })
      else { continue }
      let fields = try map.type.neededFields().filter { $0.property == number && !$0.isOptional }.map(\.name)
      let known = (fields.isEmpty ? [map.type.fieldName(number)] : fields).compactMap { map.entity.field($0)?.id }
      let rows = try records.read { try Self.unfilled(map, known, reader: $0) }
      guard let first = rows.first else { continue }
      let places = rows.prefix(3).map { "\($0.number)" }.joined(separator: ", ")
      throw MigrationFault(
        name, property,
        detail:
          "\(rows.count) \(rows.count == 1 ? "object has" : "objects have") no value for it after the stage, the first "
          + (rows.count == 1 ? "in row \(first.number)" : "in rows \(places)")
          + ": set it in didMigrate or in a transform, give it a default value, or make it optional")
    }
  }

  /// The rows of a class that were never written with some fields, or said nil when the fields could be nil.
  private static func unfilled(_ map: EntityMap, _ fields: [FieldID], reader: RecordReader) throws -> [RowID] {
    let layouts = map.entity.layouts.enumerated().map { Layout(version: UInt16($0.offset), $0.element) }
    let table = try reader.table(map.entity.id)
    var cursor = try table.cursor()
    var rows: [RowID] = []
    while try cursor.next() {
      let row = try cursor.row()
      guard layouts.indices.contains(row.version) else { continue }
      if let family = map.family, family.map(of: row) != map.number { continue }
      let layout = layouts[row.version]
      let isFilled = fields.allSatisfy { field in
        layout.members.firstIndex { $0.id == field }.map { !layout.isNull(row.start, layout.slots[$0]) } ?? false
      }
      if !isFilled { rows.append(row.id) }
    }
    return rows
  }
}
