public import Foundation

/// A request for models of a store.
public struct DataStoreFetchRequest<T>: Sendable where T: PersistentModel {
  /// The state of the context that asks.
  public let editingState: EditingState
  /// The predicate, the order and the limit of the fetch. The context applies the offset itself.
  public let descriptor: FetchDescriptor<T>

  /// Makes a request, such as in a test of a store.
  public init(descriptor: FetchDescriptor<T>, editingState: EditingState) {
    self.descriptor = descriptor
    self.editingState = editingState
  }
}

/// The models that a store found.
public struct DataStoreFetchResult<ModelType, SnapshotType>: Sendable
where ModelType: PersistentModel, SnapshotType: DataStoreSnapshot {
  /// The descriptor of the request, unchanged.
  public let descriptor: FetchDescriptor<ModelType>
  /// The snapshots of the found models, in the descriptor's order.
  public let fetchedSnapshots: [SnapshotType]
  /// Snapshots of other models that relationships reference. They are not part of the result, and
  /// can save a later call.
  public let relatedSnapshots: [PersistentIdentifier: SnapshotType]

  /// Makes the answer to a request.
  ///
  /// - Parameters:
  ///   - descriptor: the request's descriptor.
  ///   - fetchedSnapshots: the found models, in the descriptor's order.
  ///   - relatedSnapshots: models that these reference, if the store has them at hand.
  public init(
    descriptor: FetchDescriptor<ModelType>, fetchedSnapshots: [SnapshotType],
    relatedSnapshots: [PersistentIdentifier: SnapshotType] = [:]
  ) {
    self.descriptor = descriptor
    self.fetchedSnapshots = fetchedSnapshots
    self.relatedSnapshots = relatedSnapshots
  }
}

/// The changes of one save.
public struct DataStoreSaveChangesRequest<SnapshotType>: Sendable where SnapshotType: DataStoreSnapshot {
  /// The state of the context that saves, with its author.
  public let editingState: EditingState
  /// New models. Their identifiers are temporary; the result maps them to lasting identifiers.
  public let inserted: [SnapshotType]
  /// Models that are stored already, with all their values.
  public let updated: [SnapshotType]
  /// Models to remove, with their last values in the context.
  public let deleted: [SnapshotType]

  /// Makes a request, such as in a test of a store.
  public init(
    inserted: [SnapshotType], updated: [SnapshotType], deleted: [SnapshotType], editingState: EditingState
  ) {
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
    self.editingState = editingState
  }
}

/// The result of a save.
final public class DataStoreSaveChangesResult<SnapshotType>: Sendable where SnapshotType: DataStoreSnapshot {
  /// The identifier of the store that saved: its ``DataStore/identifier``.
  public let storeIdentifier: String
  /// The lasting identifiers of new models, by their temporary ones.
  public let remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]
  /// Models whose values the store changed while it saved, such as a time, a number or a default.
  public let snapshotsToReregister: [PersistentIdentifier: SnapshotType]

  /// Makes the answer to a save.
  ///
  /// - Parameters:
  ///   - storeIdentifier: the store's ``DataStore/identifier``.
  ///   - remappedIdentifiers: the lasting identifier of each inserted model, by its temporary
  ///     identifier.
  ///   - snapshotsToReregister: models whose values the store changed while it saved, by their lasting identifiers.
  public init(
    for storeIdentifier: String, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
    snapshotsToReregister: [PersistentIdentifier: SnapshotType] = [:]
  ) {
    self.storeIdentifier = storeIdentifier
    self.remappedIdentifiers = remappedIdentifiers
    self.snapshotsToReregister = snapshotsToReregister
  }
}

/// A request to delete models without fetching them.
public struct DataStoreBatchDeleteRequest<T>: Sendable where T: PersistentModel {
  /// The state of the context that deletes, with its author.
  public let editingState: EditingState
  /// The predicate of the models to delete; nil for all models of the class.
  public let predicate: Predicate<T>?
  /// Whether models of subclasses are deleted too.
  public let includeSubclasses: Bool

  /// Makes a request, such as in a test of a store.
  public init(predicate: Predicate<T>?, includeSubclasses: Bool, editingState: EditingState) {
    self.predicate = predicate
    self.includeSubclasses = includeSubclasses
    self.editingState = editingState
  }
}
