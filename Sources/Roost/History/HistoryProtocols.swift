public import Foundation

/// A place in the history.
public protocol HistoryToken: Comparable, Codable, Hashable, Identifiable, Sendable {
  associatedtype TokenType: Codable, Hashable, Sendable
  var tokenValue: TokenType? { get }
}

/// What one commit did to one store.
public protocol HistoryTransaction: Hashable, Identifiable, Sendable {
  associatedtype TokenType: Comparable, Hashable, Identifiable, Sendable
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable

  var timestamp: Date { get }
  var changes: [HistoryChange] { get }
  var token: TokenType { get }
  var transactionIdentifier: TransactionIdentifier { get }
  var storeIdentifier: String { get }
  var author: String? { get }
}

/// What happened to one model.
public enum HistoryChange: Sendable {
  case insert(any HistoryInsert)
  case update(any HistoryUpdate)
  case delete(any HistoryDelete)

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
  associatedtype Model: PersistentModel
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable

  var changeIdentifier: ChangeIdentifier { get }
  var transactionIdentifier: TransactionIdentifier { get }
  var changedPersistentIdentifier: PersistentIdentifier { get }
}

/// Properties of a model changed.
public protocol HistoryUpdate<Model>: Sendable {
  associatedtype Model: PersistentModel
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable
  typealias PropertyUpdate = PartialKeyPath<Model> & Sendable

  var changeIdentifier: ChangeIdentifier { get }
  var transactionIdentifier: TransactionIdentifier { get }
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The properties that changed, relationships among them.
  var updatedAttributes: [any PropertyUpdate] { get }
}

/// A model was deleted.
public protocol HistoryDelete<Model>: Sendable {
  associatedtype Model: PersistentModel
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable

  var changeIdentifier: ChangeIdentifier { get }
  var transactionIdentifier: TransactionIdentifier { get }
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// What is left of it.
  var tombstone: HistoryTombstone<Model> { get }
}

/// A store that has a history.
public protocol HistoryProviding {
  associatedtype HistoryType: HistoryTransaction
  static var historyType: HistoryType.Type { get }
  func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType]
  func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws
}

extension HistoryProviding {
  public static var historyType: HistoryType.Type { HistoryType.self }
}
