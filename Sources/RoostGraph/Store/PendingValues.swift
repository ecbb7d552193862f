internal import RoostFile
internal import RoostRecords

/// Properties that the code of a migration stage must set, and the rows that still lack them.
///
/// A stage may change a property's type, or add a required property without a default. Stored rows
/// have no value for it then. A save records which properties its objects had set, even to the
/// empty value.
final class PendingValues: @unchecked Sendable {
  // Unchecked because `lock` guards the rows.
  private struct Item {
    let map: EntityMap
    let property: Int
    var rows: Set<UInt64>
  }

  private let lock = Lock()
  private var items: [Item] = []

  /// Finds the rows that lack a value; nil if there are no such properties.
  init?(_ pending: [(entity: String, property: String)], _ maps: [EntityMap], records: RecordStore) throws {
    if pending.isEmpty { return nil }
    for place in pending {
      guard let map = maps.first(where: { $0.type.name == place.entity }),
        let number = map.type.properties.firstIndex(where: { $0.name == place.property })
      else { continue }
      let names = try map.type.neededFields().filter { $0.property == number && !$0.isOptional }.map(\.name)
      let fields = (names.isEmpty ? [map.type.fieldName(number)] : names).compactMap { map.entity.field($0)?.id }
      let rows = try records.read { try Self.unfilled(map, fields, reader: $0) }
      if !rows.isEmpty { items.append(Item(map: map, property: number, rows: rows)) }
    }
    if items.isEmpty { return nil }
  }

  /// The rows of a class that were never written with some fields, or stored nil in them when that
  /// was allowed.
  private static func unfilled(_ map: EntityMap, _ fields: [FieldID], reader: RecordReader) throws -> Set<UInt64> {
    let layouts = map.entity.layouts.enumerated().map { Layout(version: UInt16($0.offset), $0.element) }
    let table = try reader.table(map.entity.id)
    var cursor = try table.cursor()
    var rows: Set<UInt64> = []
    while try cursor.next() {
      let row = try cursor.row()
      guard layouts.indices.contains(row.version) else { continue }
      if let family = map.family, family.map(of: row) != map.number { continue }
      let layout = layouts[row.version]
      let isFilled = fields.allSatisfy { field in
        layout.members.firstIndex { $0.id == field }.map { !layout.isNull(row.start, layout.slots[$0]) } ?? false
      }
      if !isFilled { rows.insert(row.id.number) }
    }
    return rows
  }

  /// Records that a save writes properties of a row.
  func note(_ map: EntityMap, _ row: UInt64, changed: UInt64) {
    lock.withLock {
      for place in items.indices where items[place].map === map && changed & _ModelState.bit(items[place].property) != 0
      {
        items[place].rows.remove(row)
      }
    }
  }

  /// Throws if existing rows lack a value.
  func check(_ records: RecordStore) throws {
    for item in lock.withLock({ items }) {
      let left = try records.read { reader in
        let table = try reader.table(item.map.entity.id)
        return try item.rows.sorted().filter { try table.contains(RowID($0)) }
      }
      guard let first = left.first else { continue }
      let places = left.prefix(3).map { "\($0)" }.joined(separator: ", ")
      throw MigrationFault(
        item.map.type.name, item.map.type.propertyName(item.property),
        detail: "\(left.count) \(left.count == 1 ? "object has" : "objects have") no value for it after the stage, "
          + (left.count == 1 ? "in row \(first)" : "the first in rows \(places)")
          + ": set it in didMigrate or in a transform, give it a default value, or make it optional")
    }
  }
}

extension GraphStore {
  /// Throws if the code of a stage left rows without a value that they need.
  package func checkFilled() throws { try pending?.check(records) }
}
