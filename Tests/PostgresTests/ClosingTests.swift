#if Postgres
  import RoostPostgres
  import RoostTestSupport
  import SwiftData
  import Testing

  /// Closed containers.
  @Suite(.server) struct ClosingTests {
    private let ground: Ground
    private let container: ModelContainer

    init() throws {
      ground = try Ground()
      container = try ground.container(Schema([Customer.self, Purchase.self, Good.self]))
    }

    /// The connections whose last statement contains the namespace.
    private func connections() throws -> Int {
      let others = "pid <> pg_backend_pid() AND query ~ '\(ground.namespace)\\y'"
      return Int(try ground.value("SELECT count(*)::text FROM pg_stat_activity WHERE \(others)") ?? "") ?? -1
    }

    @Test func `a closed container keeps no connection, even if the program keeps the container`() async throws {
      let context = ModelContext(container)
      try ground.save(context, [Good("tea", stock: 3)])
      let tea = try #require(try context.fetch(FetchDescriptor<Good>()).first)
      // The connections of the store and of its listener.
      #expect(try await eventually { try connections() == 2 })
      try container.close()
      #expect(try await eventually(within: .seconds(20)) { try connections() == 0 })
      try container.close()
      #expect(tea.stock == 3)
      #expect(try ground.value("SELECT stock::text FROM @.good") == "3")
    }

    @Test func `calls of a closed container throw, and do not connect`() async throws {
      let context = ModelContext(container)
      let search = container.historyConsumer(named: "search", of: PostgresHistoryTransaction.self)
      let store = try #require(container.dataStores.first as? PostgresStore)
      try container.close()
      let calls: [() throws -> Void] = [
        { _ = try context.fetch(FetchDescriptor<Good>()) }, { try container.erase() }, { _ = try search.changes() },
        { try store.erase() }, { _ = try store.load([], lists: false) },
      ]
      for (number, call) in calls.enumerated() {
        let error = #expect(throws: RoostError.self, "call \(number)", performing: call)
        #expect(error?.code == .closed, "call \(number)")
      }
      let error = await #expect(throws: RoostError.self) { try await container.connect() }
      #expect(error?.code == .closed)
      #expect(try connections() == 0)
    }
  }
#endif
