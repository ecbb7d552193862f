import Foundation
import SwiftData
import Synchronization
import Testing

#if Postgres
  import RoostPostgres
  import RoostTestSupport
#endif

/// The kind of store of a test's containers.
enum StoreKind: CaseIterable, Sendable {
  case own, json, remote
  #if canImport(Roost)
    /// The container of a child context, whose store is another context.
    case child
  #endif
  #if Postgres
    case postgres
    @TaskLocal fileprivate static var servers: ServerStores?
  #endif

  @TaskLocal static var current = StoreKind.own

  func container(_ schema: Schema) throws -> ModelContainer {
    switch self {
    case .own: return try ModelContainer(for: schema, configurations: [ModelConfiguration(isStoredInMemoryOnly: true)])
    case .json:
      return try ModelContainer(
        for: schema, configurations: [JSONStore.Configuration(schema: schema, file: freshFile())])
    case .remote:
      return try ModelContainer(
        for: schema, configurations: [RemoteStore.Configuration(schema: schema, server: Server(seed: 1))])
    #if canImport(Roost)
      case .child: return try ModelContext(parent: ModelContext(StoreKind.own.container(schema))).container
    #endif
    #if Postgres
      case .postgres:
        let container = try ModelContainer(
          for: schema,
          configurations: [
            PostgresConfiguration(
              PostgresServer.shared().address, schema: schema, namespace: PostgresServer.freshNamespace())
          ])
        Self.servers?.add(container)
        return container
    #endif
    }
  }
}

#if Postgres
  /// The stores of a test that call the server.
  private final class ServerStores: Sendable {
    private let stores = Mutex<[PostgresStore]>([])

    func add(_ container: ModelContainer) {
      stores.withLock { $0 += container.dataStores.compactMap { $0 as? PostgresStore } }
    }

    var mostLoads: Int { stores.withLock { $0.map(\.tally.mostLoads).max() ?? 0 } }
  }
#endif

/// Runs each test of a suite with every kind of store.
struct EveryStore: SuiteTrait, TestTrait, TestScoping {
  let isRecursive = true

  func scopeProvider(for test: Test, testCase: Test.Case?) -> EveryStore? { testCase == nil ? nil : self }

  @concurrent
  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    for kind in StoreKind.allCases {
      do {
        #if Postgres
          let servers = ServerStores()
          try await StoreKind.$servers.withValue(servers) {
            try await StoreKind.$current.withValue(kind, operation: function)
          }
          // The largest number that a strict context allows.
          #expect(servers.mostLoads <= 10, "a loop asks the server for one object at a time")
        #else
          try await StoreKind.$current.withValue(kind, operation: function)
        #endif
      } catch {
        Issue.record(error, "with a store of kind \(kind)")
      }
    }
  }
}

extension Trait where Self == EveryStore {
  static var everyStore: EveryStore { EveryStore() }
}
