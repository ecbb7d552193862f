package import RoostRecords

/// The rows that a query runs over: those of a snapshot, or those that a transaction has made so
/// far.
package final class Ground {
  package let catalog: Catalog
  /// See ``RecordReader/edition``; nil where the catalog may still change.
  package let edition: (any AnyObject & Sendable)?
  let fieldTerms = FieldTerms()
  let answers = SearchAnswers()
  /// The number of rows and index entries that plans over it have read.
  @exclusivity(unchecked) package var rowsRead = 0
  @exclusivity(unchecked) package var entriesRead = 0
  private let open: (EntityID) throws -> TableReader
  private let lead: (Relationship) throws -> Members

  package init(_ reader: RecordReader) {
    catalog = reader.catalog
    edition = reader.edition
    open = { try reader.table($0) }
    lead = { try reader.links($0) }
  }

  /// The rows at this moment. The next change makes it invalid.
  package init(_ writer: RecordWriter) {
    catalog = writer.catalog
    edition = nil
    open = { try writer.reading($0) }
    lead = { try writer.links($0).reading }
  }

  package func table(_ id: EntityID) throws -> TableReader { try open(id) }

  package func table(_ name: String) throws -> TableReader {
    if let id = catalog.id(of: name) { return try open(id) }
    throw ConditionFault(.unknown, "there is no such entity", in: name)
  }

  /// The rows to which a to-many relationship refers.
  func members(_ relationship: Relationship) throws -> Members { try lead(relationship) }

  package func entity(_ name: String) throws(ConditionFault) -> Entity {
    if let entity = catalog.entity(name) { return entity }
    throw ConditionFault(.unknown, "there is no such entity", in: name)
  }
}
