package import RoostGraph
internal import RoostRecords

/// The insertion of a model.
public struct DefaultHistoryInsert<Model: PersistentModel>: HistoryInsert {
  public typealias TransactionIdentifier = Int64
  public typealias ChangeIdentifier = Int64

  // Small enough for an existential to hold it without allocating.
  private let group: HistoryGroup
  private let row: UInt64
  /// The position in the transaction, from 1.
  public let changeIdentifier: Int64

  init(_ group: HistoryGroup, _ row: UInt64, number: Int64) {
    self.group = group
    self.row = row
    changeIdentifier = number
  }

  /// The number of the transaction that inserted the model.
  public var transactionIdentifier: Int64 { group.transactionIdentifier }
  /// The model that was inserted.
  public var changedPersistentIdentifier: PersistentIdentifier { group.identifier(row) }

  /// Whether both are the same change of one transaction.
  public static func == (one: Self, other: Self) -> Bool {
    one.changeIdentifier == other.changeIdentifier && one.row == other.row && one.group.isSame(as: other.group)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(changeIdentifier)
    hasher.combine(row)
    hasher.combine(transactionIdentifier)
  }

  /// The inserted values, if the store keeps full history; nil otherwise.
  public var values: HistoryTombstone<Model>? { group.values.map { HistoryTombstone($0) } }
}

/// A change of a model's properties.
public struct DefaultHistoryUpdate<Model: PersistentModel>: HistoryUpdate {
  public typealias TransactionIdentifier = Int64
  public typealias ChangeIdentifier = Int64
  /// A key path of the model to a property that changed.
  public typealias PropertyUpdate = PartialKeyPath<Model> & Sendable

  private let group: HistoryGroup
  private let row: UInt64
  /// The position in the transaction, from 1.
  public let changeIdentifier: Int64

  init(_ group: HistoryGroup, _ row: UInt64, number: Int64) {
    self.group = group
    self.row = row
    changeIdentifier = number
  }

  /// The number of the transaction that changed the model.
  public var transactionIdentifier: Int64 { group.transactionIdentifier }
  /// The model that was changed.
  public var changedPersistentIdentifier: PersistentIdentifier { group.identifier(row) }

  /// Whether both are the same change of one transaction.
  public static func == (one: Self, other: Self) -> Bool {
    one.changeIdentifier == other.changeIdentifier && one.row == other.row && one.group.isSame(as: other.group)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(changeIdentifier)
    hasher.combine(row)
    hasher.combine(transactionIdentifier)
  }

  /// The properties that changed, including relationships. If a part of a struct changed, this has
  /// the whole property.
  public var updatedAttributes: [any PropertyUpdate] { group.map.keyPaths(group.properties) }

  /// The new values, except to-many relationships, if the store keeps full history; nil otherwise.
  public var values: HistoryTombstone<Model>? { group.values.map { HistoryTombstone($0) } }
}

/// The deletion of a model.
public struct DefaultHistoryDelete<Model: PersistentModel>: HistoryDelete {
  public typealias TransactionIdentifier = Int64
  public typealias ChangeIdentifier = Int64

  private let group: HistoryGroup
  private let row: UInt64
  /// The position in the transaction, from 1.
  public let changeIdentifier: Int64

  init(_ group: HistoryGroup, _ row: UInt64, number: Int64) {
    self.group = group
    self.row = row
    changeIdentifier = number
  }

  /// The number of the transaction that deleted the model.
  public var transactionIdentifier: Int64 { group.transactionIdentifier }
  /// The deleted model. No store has it any more.
  public var changedPersistentIdentifier: PersistentIdentifier { group.identifier(row) }

  /// Whether both are the same change of one transaction.
  public static func == (one: Self, other: Self) -> Bool {
    one.changeIdentifier == other.changeIdentifier && one.row == other.row && one.group.isSame(as: other.group)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(changeIdentifier)
    hasher.combine(row)
    hasher.combine(transactionIdentifier)
  }

  /// The values of properties that are marked `.preserveValueOnDeletion`, and of unique properties.
  public var tombstone: HistoryTombstone<Model> { HistoryTombstone(group.values) }
}

/// The common part of several changes.
final class HistoryGroup: Sendable {
  let map: EntityMap
  let properties: [Int]
  /// The values of one row; nil if none were kept.
  let values: HistoryValues?
  let transactionIdentifier: Int64
  private let store: String

  init(_ account: HistoryAccount, _ step: HistoryAccount.Step) {
    map = step.map
    properties = step.properties
    values = step.values.isEmpty ? nil : HistoryValues(account, step)
    transactionIdentifier = Int64(clamping: account.transaction.number)
    store = account.store.identifier
  }

  /// Whether both are of one transaction of one store, and of the same entity.
  func isSame(as other: HistoryGroup) -> Bool {
    transactionIdentifier == other.transactionIdentifier && store == other.store
      && map.type.name == other.map.type.name
  }

  func identifier(_ row: UInt64) -> PersistentIdentifier {
    PersistentIdentifier(store: store, entity: map.type.name, .row(row))
  }
}

extension EntityMap {
  func keyPaths<Model: PersistentModel>(_ properties: [Int]) -> [any PartialKeyPath<Model> & Sendable] {
    type.historyPaths(properties)
  }
}

extension _ModelType {
  /// Returns properties as key paths of the class. A few inherited ones have none: see the limits.
  package func historyPaths<Model: PersistentModel>(_ properties: [Int]) -> [any PartialKeyPath<Model> & Sendable] {
    properties.compactMap { number in
      // Unsafe, because a key path without subscript arguments may be sent anywhere, and its type
      // does not say so.
      (heirPath(number) as? PartialKeyPath<Model>).map {
        unsafeDowncast($0, to: (any PartialKeyPath<Model> & Sendable).self)
      }
    }
  }
}

/// Makes values of changes, one after the other.
final class HistoryChangeWriter {
  private let account: HistoryAccount
  private var number: Int64 = 0
  private var last: (step: HistoryAccount.Step, group: HistoryGroup)?

  init(_ account: HistoryAccount) { self.account = account }

  /// Skips changes and counts them, because they have numbers too.
  func pass(_ step: HistoryAccount.Step) { number += Int64(step.count) }

  func write<Failure: Error>(
    _ step: HistoryAccount.Step, _ body: (HistoryChange) throws(Failure) -> Void
  ) throws(Failure) {
    guard let model = step.map.type.model as? any PersistentModel.Type else { return pass(step) }
    try write(step, group(step), model: model, body: body)
  }

  /// Most changes have the group of the previous one.
  private func group(_ step: HistoryAccount.Step) -> HistoryGroup {
    if let last, last.step.map === step.map, step.values.isEmpty, last.step.values.isEmpty,
      last.step.properties == step.properties
    {
      return last.group
    }
    let made = HistoryGroup(account, step)
    last = (step, made)
    return made
  }

  private func write<Model: PersistentModel, Failure: Error>(
    _ step: HistoryAccount.Step, _ group: HistoryGroup, model: Model.Type,
    body: (HistoryChange) throws(Failure) -> Void
  ) throws(Failure) {
    for row in step.rows {
      number += 1
      switch step.kind {
      case .insert: try body(.insert(DefaultHistoryInsert<Model>(group, row, number: number)))
      case .update: try body(.update(DefaultHistoryUpdate<Model>(group, row, number: number)))
      case .delete: try body(.delete(DefaultHistoryDelete<Model>(group, row, number: number)))
      }
    }
  }
}
