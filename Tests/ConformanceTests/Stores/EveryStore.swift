import Foundation
import SwiftData
import Testing

#if Postgres
  import RoostPostgres
  import RoostTestSupport
#endif

/// The kind of store that a test's containers have.
enum StoreKind: CaseIterable, Sendable {
  case own, json, remote
  #if Postgres
    case postgres
  #endif

  @TaskLocal static var current = StoreKind.own

  func container(_ schema: Schema) throws -> ModelContainer {
    switch self {
    case .own: try ModelContainer(for: schema, configurations: [ModelConfiguration(isStoredInMemoryOnly: true)])
    case .json:
      try ModelContainer(for: schema, configurations: [JSONStore.Configuration(schema: schema, file: freshFile())])
    case .remote:
      try ModelContainer(
        for: schema, configurations: [RemoteStore.Configuration(schema: schema, server: Server(seed: 1))])
    #if Postgres
      case .postgres:
        try ModelContainer(
          for: schema,
          configurations: [
            PostgresConfiguration(
              PostgresServer.shared().address, schema: schema, namespace: PostgresServer.freshNamespace())
          ])
    #endif
    }
  }
}

/// Runs each test of a suite with every kind of store.
struct EveryStore: SuiteTrait, TestTrait, TestScoping {
  let isRecursive = true

  func scopeProvider(for test: Test, testCase: Test.Case?) -> EveryStore? { testCase == nil ? nil : self }

  @concurrent
  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    for kind in StoreKind.allCases {
      do { try await StoreKind.$current.withValue(kind, operation: function) } catch {
        Issue.record(error, "with a store of kind \(kind)")
      }
    }
  }
}

extension Trait where Self == EveryStore {
  static var everyStore: EveryStore { EveryStore() }
}
