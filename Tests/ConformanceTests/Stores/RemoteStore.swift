import Foundation
import SwiftData

/// A simulated server: it can be slow, refuse calls, and be changed by other clients.
final class Server: Hashable, @unchecked Sendable {
  // Unchecked because the lock guards all fields.
  private let lock = NSLock()
  private var documents = Documents()
  private var random: RandomSource
  private var told: [String] = []
  /// How many of a hundred calls fail.
  private var failures = 0
  private var isSlow = false

  init(seed: UInt64) {
    random = RandomSource(seed)
    documents.lastKey = 0
  }

  func set(failures: Int = 0, isSlow: Bool = false) {
    lock.withLock { (self.failures, self.isSlow) = (failures, isSlow) }
  }

  /// Returns the calls since the last time.
  func takeCalls() -> [String] {
    lock.withLock {
      defer { told = [] }
      return told
    }
  }

  func call<Result>(_ what: String, _ body: (inout Documents) throws -> Result) throws -> Result {
    let pause = lock.withLock { isSlow ? UInt32(random.next(below: 300)) : 0 }
    if pause > 0 { usleep(pause) }
    return try lock.withLock {
      told.append(what)
      if random.next(below: 100) < failures { throw ServerError.unavailable }
      return try body(&documents)
    }
  }

  static func == (one: Server, other: Server) -> Bool { one === other }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

enum ServerError: Error { case unavailable, conflict }

struct RandomSource: RandomNumberGenerator, Sendable {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func next(below bound: Int) -> Int { Int(next() % UInt64(bound)) }
}

/// A store behind a network. It tests only one predicate: which models have these identifiers.
final class RemoteStore: DataStore {
  struct Configuration: DataStoreConfiguration {
    typealias Store = RemoteStore
    var name = "remote"
    var schema: Schema?
    var server: Server
  }

  typealias Snapshot = DefaultSnapshot

  let configuration: Configuration
  let schema: Schema
  var identifier: String { configuration.name }
  private var server: Server { configuration.server }

  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    schema = configuration.schema!
  }

  func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
    let found = try server.call("fetch \(T.self)") { $0.all(of: T.self, schema) }
    let limit = request.descriptor.fetchLimit ?? .max
    return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: Array(found.prefix(limit)))
  }

  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    try server.call("load \(persistentIdentifiers.count)") { documents in
      let found = persistentIdentifiers.compactMap { documents.snapshots[$0] }
      return Dictionary(uniqueKeysWithValues: found.map { ($0.persistentIdentifier, $0) })
    }
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    let counts = [request.inserted, request.updated, request.deleted].map(\.count)
    return try server.call("save \(counts[0]) \(counts[1]) \(counts[2])") { documents in
      // Another client deleted a model that this save changed.
      if request.updated.contains(where: { documents.snapshots[$0.persistentIdentifier] == nil }) {
        throw ServerError.conflict
      }
      let before = documents
      let result = try documents.save(request, schema, store: identifier)
      // Or a model that this save references.
      if try documents.isDangling(schema) {
        documents = before
        throw ServerError.conflict
      }
      return result
    }
  }

  func erase() throws { try server.call("erase") { $0 = Documents() } }
}
