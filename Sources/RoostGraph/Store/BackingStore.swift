/// The program's own store that backs a working set.
///
/// A *working set* is a store in memory that contains the rows which were fetched from the backing
/// store. Objects, relationships, predicates and commits use it like any store; only these calls go
/// to the backing store. A row is *unloaded* while only its identifier is known, as a member of a
/// fetched list. It has no values of its own, and no object shows it before it is loaded.
package protocol BackingStore: AnyObject, Sendable {
  /// The identifier of the store in the identifiers of its models.
  var identifier: String { get }
  /// The keys of the rows, and which of them are loaded.
  var keys: BackingKeys { get }

  /// Fetches unloaded rows and writes them into the working set. It may fetch more rows than
  /// requested. A row that the backing store no longer has stays unloaded.
  ///
  /// - Parameters:
  ///   - rows: the rows, with any map of their entity. The keys know the classes.
  ///   - context: the context that needs them.
  ///   - lists: whether the members of lists are needed too.
  func load(_ rows: [(map: EntityMap, row: UInt64)], for context: any BackedContext, lists: Bool) throws

  /// Fetches the model that a key names, if it exists, into a row.
  func bring(_ entity: String, _ key: IdentifierKey, for context: any BackedContext) throws

  /// Fetches loaded rows again, because others changed them in the backing store, and writes them
  /// into the working set.
  func refresh(_ rows: [(map: EntityMap, row: UInt64)], for context: any BackedContext) throws

  /// Saves changes. It throws ``BackingConflict`` if others changed the same rows. It is called
  /// while the transaction of the working set is open and everything is checked and written. If it
  /// throws, that transaction is abandoned.
  func save(_ changes: BackingChanges, of context: any BackedContext) throws -> BackingOutcome

  /// Whether the store reports the changes of other programs.
  var tellsChanges: Bool { get }
  /// Whether it is a parent context, which updates values that are derived from relationships.
  var isContext: Bool { get }
  /// Called when the container is closed.
  func close()

  /// Called when a context was closed.
  func end(_ context: any BackedContext)

  /// Removes everything.
  func erase() throws
}

extension BackingStore {
  package var isContext: Bool { false }
}

/// A context, as a backing store uses it.
package protocol BackedContext: AnyObject {
  var store: GraphStore { get }
  /// The public context that shows this one to users.
  var owner: AnyObject? { get }
  /// The error of an object that could not be read.
  var failure: (any Error)? { get }

  /// Shows the newest snapshot, even if the context does not merge the commits of others.
  func showNewest() throws
}

/// Others changed rows of the backing store that a save was about to change. They are fetched
/// again, and the save begins again.
package struct BackingConflict: Error {
  /// The error to throw if that happens too often.
  package let reason: any Error

  package init(_ reason: any Error) { self.reason = reason }
}

/// The result of a save to the backing store.
package struct BackingOutcome {
  /// New objects that it merged into models which already have rows, and those rows.
  package var merged: [(object: any _ModelObject, row: UInt64)] = []
  /// Called after the commit, with its number.
  package var afterCommit: ((UInt64) -> Void)?

  package init() {}
}

/// The objects that one save of the context changes.
package struct BackingChanges {
  package var inserted: [any _ModelObject] = []
  package var updated: [any _ModelObject] = []
  package var deleted: [any _ModelObject] = []
}
