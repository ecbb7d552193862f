/// Looks on while an importer stores rows, to tell others of them.
///
/// It is called on the thread that stores, and within one transaction but for ``stored()``.
package protocol ImportWatch: AnyObject {
  func begin(_ writer: RecordWriter) throws
  /// A row that was there has other values, or other members.
  func changed(_ row: RowID, of entity: EntityID)
  /// Something leads to a row by a relationship now.
  func led(_ row: RowID, of entity: EntityID, by relationship: RelationshipID)
  /// Something does not lead to it any more.
  func left(_ row: RowID, of entity: EntityID, by relationship: RelationshipID)
  /// Whether rows have to be looked at by themselves: see ``fault(of:but:)``.
  var judges: Bool { get }
  /// A row is about to be stored, or something of it to be set, that is to be judged.
  func beginRow()
  /// Why a row may not stay that was just stored.
  ///
  /// - Parameter open: relationships of it that lead nowhere yet, and so are not counted.
  func fault(of row: RowID, but open: Set<RelationshipID>) throws -> RecordFault?
  /// Why what waited may not be set as it just was: whom it leads to would have too many, whom it led to before too few, or the row
  /// too many.
  func fault(of row: RowID, by relationship: RelationshipID) throws -> RecordFault?
  /// Why a row may not lead to as few as it does by now.
  func lack(of row: RowID, in relationship: RelationshipID) throws -> RecordFault?
  /// The transaction is about to be committed.
  func end() throws
  /// It is.
  func stored()
}
