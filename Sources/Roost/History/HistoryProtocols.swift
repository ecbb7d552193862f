public import Foundation

/// A place in the history.
public protocol HistoryToken: Comparable, Codable, Hashable, Identifiable, Sendable {
  /// The type of the number, or numbers, that a place is made of.
  associatedtype TokenType: Codable, Hashable, Sendable
  /// The numbers of the place, for a person or for another system; nil if the place has none.
  var tokenValue: TokenType? { get }
}

/// What one commit did to one store.
public protocol HistoryTransaction: Hashable, Identifiable, Sendable {
  /// The type of places in this history.
  associatedtype TokenType: Comparable, Hashable, Identifiable, Sendable
  /// The type of the number of a transaction.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable

  /// When the transaction was committed, by the clock of the machine or of the server.
  var timestamp: Date { get }
  /// The insertions, updates and deletions of models.
  var changes: [HistoryChange] { get }
  /// The place right after this transaction. Keep it to go on from here.
  var token: TokenType { get }
  /// The number of the transaction in its store. Later transactions have greater numbers.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The store that the transaction changed.
  var storeIdentifier: String { get }
  /// The ``ModelContext/author`` of the context that saved; nil for none.
  var author: String? { get }
}

/// What happened to one model.
public enum HistoryChange: Sendable {
  /// A model was inserted.
  case insert(any HistoryInsert)
  /// Properties of a model were changed.
  case update(any HistoryUpdate)
  /// A model was deleted.
  case delete(any HistoryDelete)

  /// The model that was inserted, changed or deleted.
  public var changedPersistentIdentifier: PersistentIdentifier {
    switch self {
    case .insert(let insert): insert.changedPersistentIdentifier
    case .update(let update): update.changedPersistentIdentifier
    case .delete(let delete): delete.changedPersistentIdentifier
    }
  }
}

/// A model was inserted.
public protocol HistoryInsert<Model>: Sendable {
  /// The class of the model.
  associatedtype Model: PersistentModel
  /// The type of the number of a transaction.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  /// The type of the number of a change.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable

  /// The place of the change in its transaction, from 1.
  var changeIdentifier: ChangeIdentifier { get }
  /// The transaction that the change is a part of.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The model that was inserted.
  var changedPersistentIdentifier: PersistentIdentifier { get }
}

/// Properties of a model changed.
public protocol HistoryUpdate<Model>: Sendable {
  /// The class of the model.
  associatedtype Model: PersistentModel
  /// The type of the number of a transaction.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  /// The type of the number of a change.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable
  /// A key path of the model to a property that changed.
  typealias PropertyUpdate = PartialKeyPath<Model> & Sendable

  /// The place of the change in its transaction, from 1.
  var changeIdentifier: ChangeIdentifier { get }
  /// The transaction that the change is a part of.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The model that was changed.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The properties that changed, relationships among them.
  var updatedAttributes: [any PropertyUpdate] { get }
}

/// A model was deleted.
public protocol HistoryDelete<Model>: Sendable {
  /// The class of the model.
  associatedtype Model: PersistentModel
  /// The type of the number of a transaction.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  /// The type of the number of a change.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable

  /// The place of the change in its transaction, from 1.
  var changeIdentifier: ChangeIdentifier { get }
  /// The transaction that the change is a part of.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The model that was deleted. No store has it any more.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// What is left of it.
  var tombstone: HistoryTombstone<Model> { get }
}

/// A store that has a history.
public protocol HistoryProviding {
  /// The type of transactions that the store returns.
  associatedtype HistoryType: HistoryTransaction
  /// The type of transactions, as a value: a context looks for the first store with the type that is asked for.
  static var historyType: HistoryType.Type { get }
  /// The transactions that a descriptor finds, oldest first if it has no order.
  func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType]
  /// Removes the transactions that a descriptor finds. A store may refuse descriptors that would leave a gap.
  func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws
}

extension HistoryProviding {
  /// The type that ``fetchHistory(_:)`` returns.
  public static var historyType: HistoryType.Type { HistoryType.self }
}
