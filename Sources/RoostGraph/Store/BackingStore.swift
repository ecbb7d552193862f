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
  ///
  /// - Parameter lists: whether the members of lists are needed too.
  func load(_ rows: [(map: EntityMap, row: UInt64)], for context: any BackedContext, lists: Bool) throws

  /// Fetches the model that a key names, if there is one, into a row of its own.
  func bring(_ entity: String, _ key: IdentifierKey, for context: any BackedContext) throws

  /// Fetches rows again that are loaded, because others changed them in the backing store, and writes them into the working set.
  func refresh(_ rows: [(map: EntityMap, row: UInt64)], for context: any BackedContext) throws

  /// Saves changes. It throws ``BackingConflict`` where others changed the same rows. It is called while the transaction of the working set is open and everything is checked and written. If it throws,
  /// that transaction is abandoned.
  func save(_ changes: BackingChanges, of context: any BackedContext) throws -> BackingOutcome

  /// Whether the store tells what other programs change.
  var tellsChanges: Bool { get }
  /// Whether the store keeps values right that are derived from relationships, as a parent context does.
  var keepsDerived: Bool { get }
  /// The container is closed.
  func close()

  /// A context has ended.
  func end(_ context: any BackedContext)

  /// Removes everything.
  func erase() throws
}

extension BackingStore {
  package var keepsDerived: Bool { false }
}

/// A context, as a backing store knows it.
package protocol BackedContext: AnyObject {
  var store: GraphStore { get }
  /// The object that shows the context to users.
  var owner: AnyObject? { get }
  /// Why an object could not be read.
  var failure: (any Error)? { get }

  /// Shows the newest snapshot, also if the context does not merge the changes of others.
  func showNewest() throws
  /// The class of a row, as far as an object of it tells.
  func entityMap(of row: UInt64, _ map: EntityMap) -> EntityMap
}

/// Others changed rows of the backing store that a save was about to change: they are fetched again, and the save begins anew.
package struct BackingConflict: Error {
  /// What is thrown where that happens again and again.
  package let reason: any Error

  package init(_ reason: any Error) { self.reason = reason }
}

/// The result of a save to the backing store.
package struct BackingOutcome {
  /// New objects that it merged into models which have rows already, and those rows.
  package var merged: [(object: any _ModelObject, row: UInt64)] = []
  /// Called after the commit, with its number.
  package var afterCommit: ((UInt64) -> Void)?

  package init() {}
}

/// The objects that one save changes, of the saving context.
package struct BackingChanges {
  package var inserted: [any _ModelObject] = []
  package var updated: [any _ModelObject] = []
  package var deleted: [any _ModelObject] = []
}
