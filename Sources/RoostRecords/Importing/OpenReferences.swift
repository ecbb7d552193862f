/// A reference by key, whose target is looked up at the end of the import.
package struct WaitingReference {
  package var relationship: RelationshipID
  /// The position in a list.
  package var place: Int
  /// The key as text, as objects contain it; in a snapshot the row's identifier.
  package var key: [UInt8]

  package init(relationship: RelationshipID, place: Int, key: [UInt8]) {
    self.relationship = relationship
    self.place = place
    self.key = key
  }
}

/// Stores references that wait for the end of the import, while rows are stored.
///
/// The last record that names a property wins: the stored references of earlier ones are removed.
package struct OpenReferences {
  private let name: String
  private let writer: RecordWriter
  private var table: TableWriter?
  private var isEmpty = true

  init(_ name: String, _ writer: RecordWriter) throws {
    self.name = name
    self.writer = writer
    guard writer.catalog.entity(ImportState.references) != nil else { return }
    let table = try writer.table(ImportState.references)
    isEmpty = try table.reading.count == 0
    self.table = table
  }

  /// Removes the stored references of a row whose relationship is named again.
  package func drop(_ relationship: RelationshipID, of row: RowID) throws {
    guard !isEmpty, let table else { return }
    var place: UInt64 = 0
    while let kept = try table.row(
      unique: ImportState.placeIndex, [.uint(row.number), .uint(UInt64(relationship.number)), .uint(place)])
    {
      try table.delete(kept)
      place += 1
    }
  }

  /// - Parameter former: the row to which the reference refers until then.
  package mutating func keep(_ open: WaitingReference, of row: RowID, former: RowID?) throws {
    guard let table else { return }
    isEmpty = false
    try table.insert([
      "name": .string(name), "row": .uint(row.number), "relationship": .uint(UInt64(open.relationship.number)),
      "place": .uint(UInt64(open.place)), "key": .string(String(decoding: open.key, as: UTF8.self)),
      "former": .uint(former?.number ?? 0),
    ])
  }
}
