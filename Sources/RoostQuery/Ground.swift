package import RoostRecords

/// What conditions are computed over: the rows of a snapshot, or those that a transaction has made up to now.
package struct Ground {
  package let catalog: Catalog
  private let open: (EntityID) throws -> TableReader

  package init(_ reader: RecordReader) {
    catalog = reader.catalog
    open = { try reader.table($0) }
  }

  /// The rows as they are at this moment. It is of no use after the next change.
  package init(_ writer: RecordWriter) {
    catalog = writer.catalog
    open = { try writer.reading($0) }
  }

  package func table(_ id: EntityID) throws -> TableReader { try open(id) }

  package func entity(_ name: String) throws(ConditionFault) -> Entity {
    if let entity = catalog.entity(name) { return entity }
    throw ConditionFault(.unknown, "there is no such entity", in: name)
  }
}
