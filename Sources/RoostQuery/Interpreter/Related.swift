internal import RoostRecords

/// The rows to which a relationship leads.
enum Related {
  static func rows(_ relationship: Relationship, of row: RowID, in ground: Ground) throws -> [RowID] {
    switch relationship.shape {
    case .one, .links: return []
    case .manyByReference(let entity, let field):
      let table = try ground.table(entity)
      guard let index = table.indexes.first(where: { Self.serves($0, field) }), let target = table.entity.field(field)
      else { return [] }
      let isDescending = index.index.parts[0].isDescending
      guard let bound = PartBound(.equal, .reference(row), target),
        let range = bound.range(behind: [], isDescending: isDescending)
      else { return [] }
      var rows: [RowID] = []
      try range.forEach(in: index) { (row, _, _) in
        rows.append(row)
        return true
      }
      return rows
    }
  }

  /// Whether an index has every row that refers to another by the field, in the order of what it refers to.
  static func serves(_ index: IndexReader, _ field: FieldID) -> Bool {
    index.isWhole && index.index.tests.isEmpty && index.index.parts[0].field == field
  }
}
