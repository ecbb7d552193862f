#if Postgres
  import Foundation
  import RoostPostgres
  import RoostTestSupport
  import SwiftData
  import Testing

  /// The code of the guide.
  enum PostgreSQLGuide {
    @Model final class Customer {
      var name: String
      var visits = 0
      @Relationship(deleteRule: .cascade, inverse: \Order.customer) var orders: [Order] = []

      init(name: String) { self.name = name }
    }

    @Model final class Order {
      var number: Int
      var customer: Customer?

      init(number: Int) { self.number = number }
    }

    enum ShopV1: VersionedSchema {
      static let versionIdentifier = Schema.Version(1, 0, 0)
      static var models: [any PersistentModel.Type] { [Customer.self, Order.self] }
    }

    enum ShopPlan: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [ShopV1.self] }
      static var stages: [MigrationStage] { [] }
    }
  }

  @Suite(.enabled(if: PostgresServer.missing == nil, "there is no PostgreSQL")) struct PostgreSQLGuideTests {
    typealias Customer = PostgreSQLGuide.Customer
    typealias Order = PostgreSQLGuide.Order
    typealias ShopPlan = PostgreSQLGuide.ShopPlan

    @Test func `the address of the guide can be read`() {
      let configuration = PostgresConfiguration("postgresql:///shop")
      #expect(configuration.namespace == "public")
      let zone = PostgresZone.properties(.property(\Customer.name), .property(\Order.customer))
      let divided = PostgresConfiguration("postgresql:///shop", zone: zone)
      #expect(divided != configuration)
    }

    @Test func `the guide's configuration with timeouts`() {
      var configuration = PostgresConfiguration("postgresql:///shop")
      configuration.patience = .seconds(30)
      #expect(configuration.patience == .seconds(30))
    }

    @Test func `the guide's program without blocking`() async throws {
      let configuration = PostgresConfiguration(
        try PostgresServer.shared().address, namespace: PostgresServer.freshNamespace())
      let container = try ModelContainer(for: Customer.self, Order.self, configurations: configuration)
      let context = ModelContext(container)
      try await container.connect()
      try await container.write { context in
        let customer = Customer(name: "Grace")
        context.insert(customer)
        customer.orders = [Order(number: 3)]
      }
      let customers = try await context.fetching(FetchDescriptor<Customer>())
      try await context.loading(customers, \.orders)
      #expect(customers.flatMap(\.orders).map(\.number) == [3])
    }

    @Test func `the guide's program`() throws {
      let configuration = PostgresConfiguration(
        try PostgresServer.shared().address, namespace: PostgresServer.freshNamespace())
      let container = try ModelContainer(for: Customer.self, Order.self, configurations: configuration)
      let context = ModelContext(container)
      let customer = Customer(name: "Ada")
      customer.orders = [Order(number: 1), Order(number: 2)]
      context.insert(customer)
      try context.save()
      let customers = try context.fetch(FetchDescriptor<Customer>(predicate: #Predicate { $0.name == "Ada" }))
      print(customers.map(\.orders.count))
      #expect(customers.map(\.orders.count) == [2])
      try container.write { context in
        let customer = try context.fetch(FetchDescriptor<Customer>())[0]
        customer.visits += 1
      }
      let other = ModelContext(
        try ModelContainer(for: Customer.self, Order.self, configurations: configuration))
      let found = try other.fetch(FetchDescriptor<Customer>(predicate: #Predicate { $0.visits == 1 }))
      #expect(found.map(\.name) == ["Ada"])
      #expect(found.first?.orders.map(\.number) == [1, 2])

      let explanation = try context.explain(
        FetchDescriptor<Customer>(predicate: #Predicate { $0.visits > 0 && $0.name.localizedStandardContains("ada") }))
      #expect("\(explanation)".contains("server"))
      let transactions = try context.fetchHistory(HistoryDescriptor<PostgresHistoryTransaction>())
      let last = transactions.last?.token
      #expect(transactions.isEmpty || last != nil)
    }

    @Test func `the guide's consumer`() async throws {
      let container = try ModelContainer(
        for: Customer.self, Order.self,
        configurations: PostgresConfiguration(
          try PostgresServer.shared().address, namespace: PostgresServer.freshNamespace()))
      try await container.write { context in context.insert(Customer(name: "Ada")) }
      // Short transactions of other tests delay the newest ones.
      let context = ModelContext(container)
      for _ in 0..<6000 where try context.fetchHistory(HistoryDescriptor<PostgresHistoryTransaction>()).isEmpty {
        try await Task.sleep(for: .milliseconds(10))
      }
      let index = ShopIndex()
      let consumer = container.historyConsumer(named: "search index", of: PostgresHistoryTransaction.self)
      try consumer.consume { transaction in
        index.update(transaction)
      }
      #expect(index.count == 1)
      #expect(try consumer.changes().isEmpty)
    }

    private final class ShopIndex {
      var count = 0
      func update(_ transaction: PostgresHistoryTransaction) { count += transaction.changeCount }
    }

    @Test func `the guide's migration`() throws {
      let configuration = PostgresConfiguration(
        try PostgresServer.shared().address, namespace: PostgresServer.freshNamespace())
      let first = try ModelContainer(for: Customer.self, Order.self, configurations: configuration)
      try first.write { context in context.insert(Customer(name: "Ada")) }
      try first.close()
      let migrated = try ModelContainer(
        for: Customer.self, Order.self, migrationPlan: ShopPlan.self, configurations: configuration)
      #expect(try ModelContext(migrated).fetch(FetchDescriptor<Customer>()).map(\.name) == ["Ada"])
    }

    @Test func `the guide's moves`() throws {
      let folder = try ScratchFolder()
      let (url, copy) = (URL(filePath: folder.file("shop")), URL(filePath: folder.file("copy")))
      let configuration = PostgresConfiguration(
        try PostgresServer.shared().address, namespace: PostgresServer.freshNamespace())
      let filling = try ModelContainer(for: Customer.self, Order.self, configurations: ModelConfiguration(url: url))
      let context = ModelContext(filling)
      let customer = Customer(name: "Ada")
      customer.orders = [Order(number: 1), Order(number: 2)]
      context.insert(customer)
      try context.save()
      try filling.close()
      let file = try ModelContainer(for: Customer.self, Order.self, configurations: ModelConfiguration(url: url))
      let pushed = try file.push(to: configuration) { print($0.step, $0.objects) }
      print(pushed)
      let server = try ModelContainer(for: Customer.self, Order.self, configurations: configuration)
      let pulled = try server.pull(into: copy)
      #expect(pulled == pushed)
      #expect(pulled.models.map(\.target.count) == [1, 2])
    }
  }
#endif
