/// The program's own store behind a working set.
///
/// A *working set* is a store in memory that holds the rows which were fetched from the backing store. Objects, relationships, predicates
/// and commits use it as they use any store; only these calls go to the backing store. A row is *unloaded* while its identifier alone
/// is known, as a member of a list that was fetched. It has no values of its own, and no object shows it before it is loaded.
package protocol BackingStore: AnyObject, Sendable {
  /// The identifier of the store in the identifiers of its models.
  var identifier: String { get }
  /// The keys of the rows, and which of them are loaded.
  var keys: BackingKeys { get }

  /// Fetches unloaded rows, and writes them into the working set. More rows may be fetched than asked for. A row that the backing
  /// store does not have any more stays unloaded.
  func load(_ rows: [(map: EntityMap, row: UInt64)], for context: GraphContext) throws

  /// Fetches the model that a key names, if there is one, into a row of its own.
  func bring(_ entity: String, _ key: IdentifierKey, for context: GraphContext) throws

  /// Saves changes. It is called while the transaction of the working set is open and everything is checked and written. If it throws,
  /// that transaction is abandoned.
  func save(_ changes: BackingChanges, of context: GraphContext) throws -> BackingOutcome

  /// A context has ended.
  func end(_ context: GraphContext)

  /// Removes everything.
  func erase() throws
}

/// What the backing store made of a save.
package struct BackingOutcome {
  /// New objects that it merged into models which have rows already, and those rows.
  package var merged: [(object: any _ModelObject, row: UInt64)] = []
  /// Called after the commit, with its number.
  package var afterCommit: ((UInt64) -> Void)?

  package init() {}
}

/// What one save changes, as objects of the saving context.
package struct BackingChanges {
  package var inserted: [any _ModelObject] = []
  package var updated: [any _ModelObject] = []
  package var deleted: [any _ModelObject] = []
}
