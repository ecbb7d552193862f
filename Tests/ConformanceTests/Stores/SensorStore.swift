import Foundation
import SwiftData
import Synchronization

@Model final class Sensor {
  var name: String
  var value: Double
  /// How often it was saved. The store counts.
  var count = 0
  var near: Sensor?

  init(name: String, value: Double) {
    self.name = name
    self.value = value
  }
}

/// A store with snapshots of its own, for one model.
final class SensorStore: DataStore {
  struct Configuration: DataStoreConfiguration {
    typealias Store = SensorStore
    var name = "sensors"
    var schema: Schema?
    var isRecursive = false
  }

  struct Snapshot: DataStoreSnapshot {
    var persistentIdentifier: PersistentIdentifier
    var name: String
    var value: Double
    var count: Int
    var near: PersistentIdentifier?

    init(from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData]) {
      guard let data = backingData as? any BackingData<Sensor>, let identifier = data.persistentModelID else {
        preconditionFailure("the store keeps sensors")
      }
      persistentIdentifier = identifier
      name = data.getValue(forKey: \.name)
      value = data.getValue(forKey: \.value)
      count = data.getValue(forKey: \.count)
      near = data.getValue(forKey: \.near)?.persistentModelID
    }

    func copy(
      persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
    ) -> Snapshot {
      var copy = self
      copy.persistentIdentifier = persistentIdentifier
      copy.near = near.map { remappedIdentifiers?[$0] ?? $0 }
      return copy
    }
  }

  static let used = Mutex<ModelContainer?>(nil)

  let configuration: Configuration
  let schema: Schema
  let identifier = "sensors"
  private var snapshots: [PersistentIdentifier: Snapshot] = [:]

  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    schema = configuration.schema!
  }

  func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, Snapshot> {
    if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: Array(snapshots.values))
  }

  func save(_ request: DataStoreSaveChangesRequest<Snapshot>) throws -> DataStoreSaveChangesResult<Snapshot> {
    if configuration.isRecursive, let container = Self.used.withLock({ $0 }) {
      _ = try ModelContext(container).fetch(FetchDescriptor<Sensor>())
    }
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    var changed: [PersistentIdentifier: Snapshot] = [:]
    for snapshot in request.inserted {
      remapped[snapshot.persistentIdentifier] = try .identifier(
        for: identifier, entityName: snapshot.persistentIdentifier.entityName, primaryKey: snapshots.count)
    }
    for snapshot in request.inserted + request.updated {
      let own = remapped[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
      var copy = snapshot.copy(persistentIdentifier: own, remappedIdentifiers: remapped)
      copy.count += 1
      (snapshots[own], changed[own]) = (copy, copy)
    }
    for snapshot in request.deleted { snapshots[snapshot.persistentIdentifier] = nil }
    return DataStoreSaveChangesResult(
      for: identifier, remappedIdentifiers: remapped, snapshotsToReregister: changed)
  }

  func erase() throws { snapshots = [:] }
}

#if canImport(Roost)
  /// A store that forwards all calls.
  final class Wrapper: DataStore, DataStoreBatching, HistoryProviding {
    struct Configuration: DataStoreConfiguration {
      typealias Store = Wrapper
      var name = "wrapper"
      var schema: Schema?
      var store: DefaultStore

      static func == (one: Configuration, other: Configuration) -> Bool { one.store === other.store }
      func hash(into hasher: inout Hasher) { hasher.combine(name) }
    }

    let configuration: Configuration
    private var store: DefaultStore { configuration.store }
    var identifier: String { store.identifier }
    var schema: Schema { store.schema }

    init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
      self.configuration = configuration
    }

    func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
      try store.fetch(request)
    }
    func save(
      _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> { try store.save(request) }
    func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws { try store.delete(request) }
    func fetchHistory(
      _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
    ) throws -> [DefaultHistoryTransaction] { try store.fetchHistory(descriptor) }
    func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
      try store.deleteHistory(descriptor)
    }
  }

  /// A kind of history that no store provides.
  struct OtherTransaction: HistoryTransaction {
    var timestamp: Date
    var token: DefaultHistoryToken
    var transactionIdentifier: Int64
    var storeIdentifier: String
    var author: String?
    var changes: [HistoryChange] { [] }
    var id: Int64 { transactionIdentifier }
  }
#endif
