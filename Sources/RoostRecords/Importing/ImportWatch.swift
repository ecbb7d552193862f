/// Follows the rows that an importer stores, so that contexts learn of them and rules are checked.
///
/// It is called on the thread that stores, within one transaction except for ``stored()``.
package protocol ImportWatch: AnyObject {
  func begin(_ writer: RecordWriter) throws
  /// Values or members of an existing row changed.
  func changed(_ row: RowID, of entity: EntityID)
  /// A row is now referenced by a relationship.
  func led(_ row: RowID, of entity: EntityID, by relationship: RelationshipID)
  /// A row lost a reference to it.
  func left(_ row: RowID, of entity: EntityID, by relationship: RelationshipID)
  /// Whether rows must be checked one by one: see ``fault(of:but:)``.
  var judges: Bool { get }
  /// Called before a row is stored, or a part of it is set, that must be checked.
  func beginRow()
  /// Why a row that was just stored is invalid.
  ///
  /// - Parameter open: relationships that have no target yet, and so are not checked.
  func fault(of row: RowID, but open: Set<RelationshipID>) throws -> RecordFault?
  /// Why a waiting reference that was just set is invalid. The new target would have too many
  /// members, the former target too few, or the row itself too many.
  func fault(of row: RowID, by relationship: RelationshipID) throws -> RecordFault?
  /// Why a row has too few members in a relationship.
  func lack(of row: RowID, in relationship: RelationshipID) throws -> RecordFault?
  /// The transaction is about to be committed.
  func end() throws
  /// The transaction was committed.
  func stored()
}
