package import RoostFile

/// Reads some fields of one row, to compare rows.
extension TableReader {
  /// The row's values of these fields; nil if the row does not exist.
  package func values(_ fields: [FieldID], of id: RowID) throws(StoreError) -> [Value]? {
    try withRow(id) { (row) throws(StoreError) in try values(fields, row) }
  }

  /// The values of a row in a builder of the newest layout. Values outside the row are read from
  /// the stored row.
  package func values(_ fields: [FieldID], of id: RowID, in builder: borrowing RowBuilder) throws -> [Value] {
    let count = builder.byteCount
    let memory = UnsafeMutableRawPointer.allocate(byteCount: max(count, 8), alignment: 8)
    defer { memory.deallocate() }
    // All other fields may be too large for a row.
    let layout = builder.layout
    let wanted = layout.members.indices.filter { layout.slots[$0].isVariable && fields.contains(layout.members[$0].id) }
    try builder.write(only: Set(wanted.map { layout.slots[$0].position }), to: memory)
    return try values(fields, Row(id, memory, count: count, version: Int(builder.layout.version)))
  }

  private func values(_ fields: [FieldID], _ row: Row) throws(StoreError) -> [Value] {
    var values: [Value] = []
    for field in fields { if let access = access(field) { values.append(try value(access, row)) } }
    return values
  }
}
