#if Postgres
  import Foundation
  import RoostPostgres
  import SwiftData
  import Testing

  /// The examples in the comments of the PostgreSQL store. Most name a server that a test does not
  /// have, so only one of them runs.
  @Suite struct ReferencePostgresTests {
    typealias Customer = PostgreSQLGuide.Customer
    typealias Order = PostgreSQLGuide.Order

    private func open() throws -> ModelContainer {
      let container = try ModelContainer(for: Order.self, configurations: PostgresConfiguration("postgresql:///shop"))
      return container
    }

    private func history(_ context: ModelContext) throws -> [PostgresHistoryTransaction] {
      let all = try context.fetchHistory(HistoryDescriptor<PostgresHistoryTransaction>())
      return all
    }

    private func push(_ url: URL) throws {
      let file = try ModelContainer(for: Customer.self, Order.self, configurations: ModelConfiguration(url: url))
      print(try file.push(to: PostgresConfiguration("postgresql:///shop")))
    }

    private func pull(_ url: URL) throws {
      let configuration = PostgresConfiguration("postgresql:///shop")
      let server = try ModelContainer(for: Customer.self, Order.self, configurations: configuration)
      print(try server.pull(into: url))
    }

    @Test func `the address of the examples can be read`() throws {
      try PostgresConfiguration("postgresql:///shop").validate()
      #expect(PostgresConfiguration("postgresql:///shop").name == "PostgreSQL public")
    }
  }
#endif
