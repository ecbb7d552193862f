#if Postgres
  import Foundation
  import RoostTestSupport
  import SwiftData
  import Testing

  import RoostPostgres

  /// A namespace of the test server, which programs with different models open one after another.
  struct Ground {
    let namespace: String
    let address: String

    init(namespace: String, address: String) { (self.namespace, self.address) = (namespace, address) }

    init(_ server: PostgresServer? = nil) throws {
      namespace = PostgresServer.freshNamespace()
      address = try server?.address ?? PostgresServer.shared().address
    }

    func container(_ schema: Schema, address: String? = nil) throws -> ModelContainer {
      var configuration = PostgresConfiguration(address ?? self.address, schema: schema, namespace: namespace)
      // A proxy for cutting connections must cut that of a save, and no other.
      configuration.followsOthers = address == nil
      return try ModelContainer(for: schema, configurations: [configuration])
    }

    /// The context of a program with these models and no version.
    func open(_ models: any PersistentModel.Type..., address: String? = nil) throws -> ModelContext {
      ModelContext(try container(Schema(models), address: address))
    }

    func open(_ version: any VersionedSchema.Type) throws -> ModelContext {
      ModelContext(try container(Schema(versionedSchema: version)))
    }

    /// Saves models in a new context.
    func save(_ context: ModelContext, _ models: [any PersistentModel]) throws {
      for model in models { context.insert(model) }
      try context.save()
    }

    /// The rows of a statement, as another program reads them. The columns must be texts. `@` is
    /// the namespace.
    @discardableResult
    func sql(_ text: String) throws -> [[String?]] {
      let connection = try Connection(address)
      let answer = try connection.run(text.replacing("@", with: "\"\(namespace)\""))
      let width = answer.columns
      return (0..<answer.count).map { row in (0..<width).map { answer.text(row, $0) } }
    }

    /// The first column of a statement's rows, in any namespace.
    static func texts(_ text: String, at address: String) throws -> [String] {
      let answer = try Connection(address).run(text)
      return (0..<answer.count).compactMap { answer.text($0, 0) }
    }

    /// The first value.
    func value(_ text: String) throws -> String? { try sql(text).first?.first ?? nil }

    /// Waits until the history shows all commits: open transactions of other tests delay them.
    func settle() async throws {
      let isSettled = try await eventually {
        // The workers of a cluster number their own transactions, so the number is read first.
        let open = try value("SELECT pg_snapshot_xmin(pg_current_snapshot())::text") ?? ""
        return try value("SELECT count(*)::text FROM @.roost_change WHERE xid >= '\(open)'::xid8") == "0"
      }
      #expect(isSettled, "a transaction stays open")
    }

    /// Whether a column may be null; nil if it does not exist.
    func isNullable(_ table: String, _ column: String) throws -> Bool? {
      let found = try value(
        "SELECT is_nullable::text FROM information_schema.columns WHERE table_schema = '\(namespace)' AND "
          + "table_name = '\(table)' AND column_name = '\(column)'")
      return found.map { $0 == "YES" }
    }

    func type(_ table: String, _ column: String) throws -> String? {
      try value(
        "SELECT data_type::text FROM information_schema.columns WHERE table_schema = '\(namespace)' AND "
          + "table_name = '\(table)' AND column_name = '\(column)'")
    }

    /// Whether the server distributes tables over a cluster. Then it does not rename constraints.
    func isCluster() throws -> Bool {
      try value("SELECT count(*)::text FROM pg_extension WHERE extname = 'citus'") == "1"
    }

    /// The names of the indexes and constraints of a table.
    func rules(_ table: String) throws -> Set<String> {
      let rows = try sql(
        "SELECT conname::text FROM pg_constraint WHERE conrelid = '@.\(table)'::regclass "
          + "UNION SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid = '@.\(table)'::regclass")
      return Set(rows.compactMap { $0[0]?.replacing(namespace + ".", with: "") })
    }
  }

  /// Waits until a condition is true; false if it never is. An open transaction of another test can
  /// delay the news of all saves.
  func eventually(
    within time: Duration = .seconds(300), isolation: isolated (any Actor)? = #isolation, _ condition: () throws -> Bool
  ) async throws -> Bool {
    let end = ContinuousClock.now + time
    var pause = 10
    while ContinuousClock.now < end {
      if try condition() { return true }
      try await Task.sleep(for: .milliseconds(pause))
      // A condition may use its own connection. That costs time on a server, and more on a cluster.
      pause = min(2 * pause, 320)
    }
    // While other tests run, a sleep may take longer than the whole time.
    return try condition()
  }

  /// The PostgreSQL error that a body throws; nil if it throws none, or another one.
  func refusal(_ body: () throws -> Void) -> PostgresError? {
    do {
      try body()
      return nil
    } catch let error as PostgresError { return error } catch {
      Issue.record(error)
      return nil
    }
  }
#endif
