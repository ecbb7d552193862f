package import RoostFile

/// Some fields of one row, for whoever compares rows.
extension TableReader {
  /// What the row has in these fields; nil if there is no row of that number.
  package func values(_ fields: [FieldID], of id: RowID) throws(StoreError) -> [Value]? {
    try withRow(id) { (row) throws(StoreError) in try values(fields, row) }
  }

  /// What a row has that stands in a builder, of the newest layout; what it says to stand outside is the stored row's.
  package func values(_ fields: [FieldID], of id: RowID, in builder: borrowing RowBuilder) throws -> [Value] {
    let count = builder.byteCount
    let memory = UnsafeMutableRawPointer.allocate(byteCount: max(count, 8), alignment: 8)
    defer { memory.deallocate() }
    // Others may be too large for a row.
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
