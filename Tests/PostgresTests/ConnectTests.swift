#if Postgres
  import RoostPostgres
  import RoostTestSupport
  import SwiftData
  import Testing

  @Suite(.server, .enabled(if: CutProxy.socketFolder() != nil, "the server has no socket in a folder"))
  struct ConnectTests {
    private let schema = Schema([Customer.self, Purchase.self, Good.self])

    @Test func `connect reports that a server is down, and connects again when it is back`() async throws {
      let ground = try Ground()
      let proxy = try CutProxy()
      let container = try ground.container(schema, address: proxy.address)
      try await container.connect()
      proxy.refuse(true)
      proxy.cut(.toServer, after: 0)
      await #expect { try await container.connect() } throws: { ($0 as? PostgresError)?.code == .unreachable }
      proxy.refuse(false)
      try await container.connect()
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Good>()) == 0)
    }

    @Test func `connect reports that other programs changed the tables`() async throws {
      let ground = try Ground()
      let container = try ground.container(schema)
      try ground.sql("ALTER TABLE @.good DROP COLUMN stock")
      await #expect { try await container.connect() } throws: { ($0 as? PostgresError)?.code == .changedTables }
    }

    @Test func `connect does nothing for a file`() async throws {
      let container = try ModelContainer(for: schema, configurations: [ModelConfiguration(isStoredInMemoryOnly: true)])
      try await container.connect()
    }
  }
#endif
