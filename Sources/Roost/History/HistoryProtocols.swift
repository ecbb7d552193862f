public import Foundation

/// A place in the history.
public protocol HistoryToken: Comparable, Codable, Hashable, Identifiable, Sendable {
  /// The type of the number, or numbers, of a place.
  associatedtype TokenType: Codable, Hashable, Sendable
  /// The numbers of the place, for a person or for another system; nil if the place has none.
  var tokenValue: TokenType? { get }
}

/// One commit of one store.
public protocol HistoryTransaction: Hashable, Identifiable, Sendable {
  /// The type of places in this history.
  associatedtype TokenType: Comparable, Hashable, Identifiable, Sendable
  /// The type of the number of a transaction.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable

  /// The time of the commit, by the clock of the machine or of the server.
  var timestamp: Date { get }
  /// The insertions, updates and deletions of models.
  var changes: [HistoryChange] { get }
  /// The place directly after this transaction. Keep it to continue from here.
  var token: TokenType { get }
  /// The number of the transaction in its store. Later transactions have greater numbers.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The store that the transaction changed.
  var storeIdentifier: String { get }
  /// The ``ModelContext/author`` of the context that saved; nil for none.
  var author: String? { get }
}

/// The change of one model.
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

/// The insertion of a model.
public protocol HistoryInsert<Model>: Sendable {
  /// The class of the model.
  associatedtype Model: PersistentModel
  /// The type of the number of a transaction.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  /// The type of the number of a change.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable

  /// The position of the change in its transaction, from 1.
  var changeIdentifier: ChangeIdentifier { get }
  /// The transaction that the change is a part of.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The model that was inserted.
  var changedPersistentIdentifier: PersistentIdentifier { get }
}

/// A change of a model's properties.
public protocol HistoryUpdate<Model>: Sendable {
  /// The class of the model.
  associatedtype Model: PersistentModel
  /// The type of the number of a transaction.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  /// The type of the number of a change.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable
  /// A key path of the model to a property that changed.
  typealias PropertyUpdate = PartialKeyPath<Model> & Sendable

  /// The position of the change in its transaction, from 1.
  var changeIdentifier: ChangeIdentifier { get }
  /// The transaction that the change is a part of.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The model that was changed.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The properties that changed, including relationships.
  var updatedAttributes: [any PropertyUpdate] { get }
}

/// The deletion of a model.
public protocol HistoryDelete<Model>: Sendable {
  /// The class of the model.
  associatedtype Model: PersistentModel
  /// The type of the number of a transaction.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  /// The type of the number of a change.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable

  /// The position of the change in its transaction, from 1.
  var changeIdentifier: ChangeIdentifier { get }
  /// The transaction that the change is a part of.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The model that was deleted. No store has it any more.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The values that were kept of the deleted model.
  var tombstone: HistoryTombstone<Model> { get }
}

/// A store that has a history.
public protocol HistoryProviding {
  /// The type of transactions that the store returns.
  associatedtype HistoryType: HistoryTransaction
  /// The type of transactions, as a value. A context looks for the first store with the type of a
  /// fetch.
  static var historyType: HistoryType.Type { get }
  /// Fetches the transactions of a descriptor, oldest first if it has no order.
  ///
  /// - Throws: ``SwiftDataError/historyTokenExpired`` if the history after a token is not complete,
  ///   or any error of the store.
  func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType]
  /// Removes the transactions of a descriptor. A store may refuse descriptors that would leave a
  /// gap.
  ///
  /// - Throws: ``SwiftDataError/invalidTransactionFetchRequest`` if the store refuses the
  ///   descriptor, or any error of the store.
  func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws
}

extension HistoryProviding {
  /// The type that ``fetchHistory(_:)`` returns.
  public static var historyType: HistoryType.Type { HistoryType.self }
}
