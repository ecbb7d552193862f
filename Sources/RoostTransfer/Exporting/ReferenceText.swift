package import RoostRecords

/// How texts identify the rows of an entity: by the key of its first unique field, or by their
/// numbers.
package struct ReferenceText {
  private let way: KeyWay

  package init(of entity: EntityID, _ catalog: Catalog) { way = KeyWay(entity, catalog) }

  /// The unique index of the keys; nil if rows have none.
  package var index: String? { way.index }

  package var type: FieldType { way.type }

  package func value(_ row: RowID, _ reader: RecordReader) throws -> Value {
    try ExportColumn.exported(row, way, reader: reader)
  }
}
