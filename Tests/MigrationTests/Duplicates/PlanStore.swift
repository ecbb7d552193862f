import Foundation
import RoostTestSupport
import SwiftData
import Testing

#if Postgres
  import RoostPostgres
#endif

/// The store that a test migrates: a file, or tables of a database.
struct PlanStore {
  enum Kind: CaseIterable, Sendable {
    case file
    #if Postgres
      case database
    #endif

    /// The kinds that this machine has.
    static var there: [Kind] {
      #if Postgres
        if PostgresServer.missing != nil { return [.file] }
      #endif
      return allCases
    }
  }

  @TaskLocal static var kind = Kind.file

  private let folder: ScratchFolder
  #if Postgres
    let namespace = PostgresServer.freshNamespace()
  #endif

  init() throws { folder = try ScratchFolder() }

  var isFile: Bool { Self.kind == .file }

  func container(
    _ version: any VersionedSchema.Type, _ plan: (any SchemaMigrationPlan.Type)? = nil
  ) throws -> ModelContainer {
    let schema = Schema(versionedSchema: version)
    switch Self.kind {
    case .file:
      let file = ModelConfiguration(url: URL(filePath: folder.file("store.roost")))
      return try ModelContainer(for: schema, migrationPlan: plan, configurations: [file])
    #if Postgres
      case .database:
        let database = try PostgresConfiguration(PostgresServer.shared().address, namespace: namespace)
        return try ModelContainer(for: schema, migrationPlan: plan, configurations: [database])
    #endif
    }
  }

  /// Closes a container, whose file must be sound.
  func close(_ container: ModelContainer) throws {
    if isFile {
      let report = try container.verify()
      #expect(report.isSound, "\(report.findings)")
    }
    try container.close()
  }

  #if Postgres
    /// Returns the first value of a statement in the database; `@` is the namespace.
    @discardableResult
    func value(_ text: String) throws -> String? {
      let answer = try Connection(PostgresServer.shared().address).run(text.replacing("@", with: "\"\(namespace)\""))
      return answer.count > 0 ? answer.text(0, 0) : nil
    }
  #endif
}

/// Runs each test of a suite with both kinds of store.
struct BothStores: SuiteTrait, TestTrait, TestScoping {
  let isRecursive = true

  func scopeProvider(for test: Test, testCase: Test.Case?) -> BothStores? { testCase == nil ? nil : self }

  @concurrent
  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    for kind in PlanStore.Kind.there {
      do { try await PlanStore.$kind.withValue(kind, operation: function) } catch {
        Issue.record(error, "with a store of kind \(kind)")
      }
    }
  }
}

extension Trait where Self == BothStores {
  static var bothStores: BothStores { BothStores() }
}
