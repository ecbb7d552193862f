package import RoostRecords

/// What whoever knows the classes says of records beyond what the catalog does.
package struct ImportShape: Sendable {
  /// A class whose objects are rows of the entity.
  package struct Kind: Sendable {
    package var name: String
    /// By what a row says that it is of the class; nil where no row does.
    package var number: UInt32?
    /// Fields that a new row needs, and that have no value of their own.
    package var required: [String]
    package var initials: [(field: String, value: Initial)]

    package init(
      _ name: String, number: UInt32?, required: [String], initials: [(field: String, value: Initial)]
    ) {
      self.name = name
      self.number = number
      self.required = required
      self.initials = initials
    }
  }

  /// What a field holds that a record does not name.
  package enum Initial: Sendable {
    case always(Value)
    /// Asked for each row: it is a new identifier, or the time.
    case anew(@Sendable () -> Value?)
  }

  /// The first one is that of records which do not say.
  package var kinds: [Kind]
  /// What fields are called in a text, where the store has another name for them.
  package var names: [String: String]
  /// Relationships that are their own other side, by their names in the store.
  package var mutual: Set<String>
  /// Why a value is none of a field's type, as a clause; nil where it is one. Of fields, by name, whose types do not have all values that rows
  /// can hold, as enums. It may call code of users.
  package var checks: [String: @Sendable (Value) -> String?]

  package init(
    _ kinds: [Kind], names: [String: String] = [:], mutual: Set<String> = [],
    checks: [String: @Sendable (Value) -> String?] = [:]
  ) {
    self.checks = checks
    self.kinds = kinds
    self.names = names
    self.mutual = mutual
  }
}

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
