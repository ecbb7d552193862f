package import RoostRecords

/// What an import keeps in the store until it is done: how far it came, and references whose targets were not there.
///
/// Both stand in entities of their own, whose names begin with `@`, and change in the transaction of the rows. So whatever
/// cuts an import off, the next one goes on where the last whole chunk ended.
package enum ImportState {
  static let imports = "@import"
  static let references = "@import reference"
  private static let nameIndex = "@import name"

  /// Makes the entities where they are missing.
  package static func prepare(_ writer: RecordWriter) throws {
    if writer.catalog.entity(imports) != nil { return }
    try writer.change { catalog in
      try catalog.add(entity: imports) { (entity) throws(RecordFault) in
        try entity.add("name", .string)
        for name in ["records", "inserted", "updated", "kept", "bad"] { try entity.add(name, .uint64) }
      }
      try catalog.add(index: nameIndex, of: imports, on: ["name"], isUnique: true)
      try catalog.add(entity: references) { (entity) throws(RecordFault) in
        try entity.add("name", .string)
        try entity.add("row", .uint64)
        try entity.add("relationship", .uint32)
        try entity.add("place", .uint32)
        try entity.add("key", .string)
      }
    }
  }

  /// How far an import of a name came; nil if there is none.
  package static func progress(_ name: String, _ reader: RecordReader) throws -> ImportProgress? {
    guard reader.catalog.entity(imports) != nil else { return nil }
    let table = try reader.table(imports)
    guard let row = try table.row(unique: nameIndex, [.string(name)]), let values = try table.values(row) else {
      return nil
    }
    func number(_ name: String) -> Int {
      if case .uint(let number)? = values[name] { return Int(clamping: number) }
      return 0
    }
    var progress = ImportProgress()
    progress.records = number("records")
    progress.inserted = number("inserted")
    progress.updated = number("updated")
    progress.kept = number("kept")
    progress.bad = number("bad")
    progress.resumed = progress.records
    return progress
  }

  package static func set(_ progress: ImportProgress, _ name: String, _ writer: RecordWriter) throws {
    let table = try writer.table(imports)
    var builder = table.makeBuilder()
    try builder.set(table.slot("name"), .string(name))
    for (field, number) in [
      ("records", progress.records), ("inserted", progress.inserted), ("updated", progress.updated),
      ("kept", progress.kept), ("bad", progress.bad),
    ] { try builder.set(table.slot(field), .uint(UInt64(number))) }
    _ = try table.upsert(&builder)
  }

  static func add(_ open: OpenReference, of row: RowID, _ name: String, _ writer: RecordWriter) throws {
    try writer.table(references).insert([
      "name": .string(name), "row": .uint(row.number), "relationship": .uint(UInt64(open.relationship.number)),
      "place": .uint(UInt64(open.place)), "key": .string(String(decoding: open.key, as: UTF8.self)),
    ])
  }

  /// Removes what an import kept.
  package static func forget(_ name: String, _ writer: RecordWriter) throws {
    guard writer.catalog.entity(imports) != nil else { return }
    if let row = try writer.reading(imports).row(unique: nameIndex, [.string(name)]) {
      try writer.table(imports).delete(row)
    }
  }

  /// A reference that was kept.
  struct Kept {
    var id: RowID
    var row: RowID
    var relationship: RelationshipID
    var place: Int
    var key: String
  }

  /// The first references of an import.
  static func kept(_ name: String, most: Int, _ reader: RecordReader) throws -> [Kept] {
    guard reader.catalog.entity(references) != nil else { return [] }
    let table = try reader.table(references)
    var found: [Kept] = []
    var cursor = try table.cursor()
    while found.count < most, try cursor.next() {
      let row = try cursor.row()
      guard let values = try table.values(row.id), values["name"] == .string(name),
        case .uint(let number)? = values["row"], case .uint(let relationship)? = values["relationship"],
        case .uint(let place)? = values["place"], case .string(let key)? = values["key"]
      else { continue }
      found.append(
        Kept(
          id: row.id, row: RowID(number), relationship: RelationshipID(UInt32(truncatingIfNeeded: relationship)),
          place: Int(place), key: key))
    }
    return found
  }
}
