import Foundation
import SwiftData
import Testing

enum CustomStoresGuide {
  @Model final class Hike {
    var name: String
    var nights = 0
    @Relationship(deleteRule: .cascade, inverse: \Stop.hike) var stops: [Stop] = []

    init(_ name: String) { self.name = name }
  }

  @Model final class Stop {
    var place: String
    var hike: Hike?

    init(_ place: String) { self.place = place }
  }

  struct JSONConfiguration: DataStoreConfiguration {
    typealias Store = JSONStore
    var name = "json"
    var schema: Schema?
    var file: URL
  }

  final class JSONStore: DataStore {
    typealias Snapshot = DefaultSnapshot

    let configuration: JSONConfiguration
    let schema: Schema
    let identifier: String

    init(_ configuration: JSONConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
      self.configuration = configuration
      schema = configuration.schema ?? Schema()
      identifier = configuration.file.lastPathComponent
    }

    func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
      if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
      if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
      let all = try read().values.filter { $0.persistentIdentifier.entityName == Schema.entityName(for: T.self) }
      return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: Array(all))
    }

    func save(
      _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
      var all = try read()
      var lasting: [PersistentIdentifier: PersistentIdentifier] = [:]
      for snapshot in request.inserted {
        lasting[snapshot.persistentIdentifier] = try .identifier(
          for: identifier, entityName: snapshot.persistentIdentifier.entityName, primaryKey: UUID().uuidString)
      }
      for snapshot in request.inserted + request.updated {
        let own = lasting[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
        all[own] = snapshot.copy(persistentIdentifier: own, remappedIdentifiers: lasting)
      }
      for snapshot in request.deleted { all[snapshot.persistentIdentifier] = nil }
      try JSONEncoder().encode(Array(all.values)).write(to: configuration.file, options: .atomic)
      return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: lasting)
    }

    private func read() throws -> [PersistentIdentifier: DefaultSnapshot] {
      guard FileManager.default.fileExists(atPath: configuration.file.path()) else { return [:] }
      let data = try Data(contentsOf: configuration.file)
      let list = try JSONDecoder().decode([DefaultSnapshot].self, from: data)
      return Dictionary(list.map { ($0.persistentIdentifier, $0) }) { first, _ in first }
    }
  }
}

/// The code of the guide to custom stores.
@Suite struct CustomStoresGuideTests {
  typealias Hike = CustomStoresGuide.Hike
  typealias Stop = CustomStoresGuide.Stop
  typealias JSONConfiguration = CustomStoresGuide.JSONConfiguration

  @Test func `hikes in a JSON file`() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "guide-\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: file) }
    do {
      let container = try ModelContainer(
        for: Hike.self, Stop.self, configurations: JSONConfiguration(file: file))
      let context = ModelContext(container)
      let hike = Hike("Oslo")
      context.insert(hike)
      hike.stops = [Stop("Bergen"), Stop("Voss")]
      try context.save()
      #expect(hike.persistentModelID.storeIdentifier == file.lastPathComponent)
    }
    let container = try ModelContainer(
      for: Hike.self, Stop.self, configurations: JSONConfiguration(file: file))
    let context = ModelContext(container)
    let descriptor = FetchDescriptor<Hike>(predicate: #Predicate { $0.name == "Oslo" })
    let hike = try #require(try context.fetch(descriptor).first)
    #expect(hike.stops.map(\.place) == ["Bergen", "Voss"])
    context.delete(hike)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Stop>()) == 0)
  }

  @Test func `values that a store read`() throws {
    _ = try ModelContainer(for: Hike.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let key = try PersistentIdentifier.identifier(for: "server", entityName: "Hike", primaryKey: 17)
    let snapshot = try DefaultSnapshot(key, values: ["name": "Oslo", "nights": 3])
    #expect(snapshot["nights"] as? Int == 3 && snapshot["stops"] == nil)
    #expect(throws: RoostError.self) { try DefaultSnapshot(key, values: ["nights": "three"]) }
  }
}
