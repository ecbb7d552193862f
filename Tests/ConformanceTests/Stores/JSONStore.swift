import Foundation
import SwiftData

/// A store in a JSON file, which it reads and writes as a whole.
final class JSONStore: DataStore {
  struct Configuration: DataStoreConfiguration {
    typealias Store = JSONStore
    var name = "json"
    var schema: Schema?
    var file: URL
  }

  typealias Snapshot = DefaultSnapshot

  let configuration: Configuration
  let schema: Schema
  let identifier: String

  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    schema = configuration.schema!
    identifier = configuration.file.lastPathComponent
  }

  func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
    return DataStoreFetchResult(
      descriptor: request.descriptor, fetchedSnapshots: try read().all(of: T.self, schema))
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    var documents = try read()
    let result = try documents.save(request, schema, store: identifier)
    try write(documents)
    return result
  }

  func erase() throws { try write(Documents()) }

  private func read() throws -> Documents {
    guard let data = try? Data(contentsOf: configuration.file) else { return Documents() }
    return Documents(try JSONDecoder().decode([DefaultSnapshot].self, from: data))
  }

  private func write(_ documents: Documents) throws {
    try FileManager.default.createDirectory(
      at: configuration.file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try JSONEncoder().encode(Array(documents.snapshots.values)).write(to: configuration.file, options: .atomic)
  }
}
