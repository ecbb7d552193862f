internal import RoostFile
internal import RoostRecords

/// A row whose number was assigned before it is written.
package struct GivenRow {
  package let map: EntityMap
  package let row: UInt64
  package let values: ValueImage
  package let links: ImageLinks

  package init(_ map: EntityMap, _ row: UInt64, values: ValueImage, links: ImageLinks) {
    (self.map, self.row, self.values, self.links) = (map, row, values, links)
  }
}

/// Writes rows as they were in another store. It checks only the rules of rows themselves: required
/// values, unique values, and references, which must refer to existing rows at the end of a
/// transaction.
extension GraphStore {
  /// Reserves consecutive numbers for new rows of a class. Returns the first one.
  package func reserve(_ count: Int, of map: EntityMap) throws -> UInt64 {
    try records.reserve(UInt64(count), of: map.entity.id).number
  }

  /// Inserts rows with their references, in one transaction.
  package func insert(_ rows: [GivenRow], author: String) throws {
    try change(author) { writer in
      var forms: [Int: (encoder: ImageEncoder, box: Saver.SinkBox)] = [:]
      for one in rows {
        let number = one.map.number
        let form = forms[number] ?? (ImageEncoder(one.map, relations[number]), Saver.SinkBox(one.map.newest))
        forms[number] = form
        form.box.sink.clear()
        try form.encoder.encode(one.values, into: &form.box.sink, leavesAbsent: false, skipsNil: false)
        try form.encoder.encode(one.links.references, into: &form.box.sink, leavesAbsent: false)
        try writer.table(one.map.entity.id).insert(&form.box.sink.builder, as: RowID(one.row))
      }
    }
  }

  /// Sets the references and lists of existing rows, in one transaction.
  package func connect(_ rows: [GivenRow], author: String) throws {
    try change(author) { writer in
      for one in rows {
        let table = try writer.table(one.map.entity.id)
        let row = RowID(one.row)
        for link in one.links.references where one.map.field(link.property) != nil {
          let slot = try table.slot(one.map.type.fieldName(link.property))
          let wanted = link.row.map { RowID($0) }
          if try table.reference(slot, of: row) == wanted { continue }
          _ = try table.update(row) { builder in
            if let wanted { builder.set(slot, reference: wanted) } else { builder.setNull(slot) }
          }
        }
        for list in one.links.lists {
          guard let relation = relations[one.map.number][list.property],
            let side = writer.catalog.relationship(relation.way.id)
          else { continue }
          try writer.links(side).replace(list.rows.map { RowID($0) }, of: row)
        }
      }
    }
  }

  private func change(_ author: String, _ body: (RecordWriter) throws -> Void) throws {
    try write(isRelaxed: true, author: author) { writer in
      try body(writer)
      feed.addEverything(writer.commitNumber)
    }
    listeners.tell()
  }
}
