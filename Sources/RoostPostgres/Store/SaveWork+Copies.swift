#if Postgres
  internal import Roost
  internal import RoostGraph
  internal import RoostRecords

  /// New rows that are sent with `COPY`.
  extension SaveWork {
    /// The new rows, by table. Foreign keys are tested at the commit, so the order of the rows does not matter.
    func copies() throws -> [Copy] {
      var copies: [Int: Copy] = [:]
      for row in rows where row.known == nil {
        // Taken out of the dictionary and changed in place: otherwise each row would copy the bytes
        // of all rows before it.
        var copy =
          copies.removeValue(forKey: row.table)
          ?? Copy(store.full(row.table), store.tables.tables[row.table].copiedColumns)
        try write(row, to: &copy)
        copies[row.table] = copy
      }
      return copies.sorted { $0.key < $1.key }.map(\.value)
    }

    private func write(_ row: RowChange, to copy: inout Copy) throws {
      let (table, kind) = try place(row.content)
      copy.beginRow()
      copy.wire.measured { $0.append(row.key.zone.utf8) }
      copy.wire.measured { $0.append(row.key.key) }
      let shape = store.tables.tables[table]
      if shape.hasClassColumn { copy.wire.measured { $0.append(row.content.type.name.utf8) } }
      for column in shape.columns.indices {
        if let bytes = try bytes(row, column, of: kind) {
          copy.wire.measured { $0.append(bytes) }
        } else {
          copy.wire.appendNull()
        }
      }
    }
  }
#endif
