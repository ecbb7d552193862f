#if Postgres
  import RoostPostgres
  import RoostTestSupport
  import SwiftData
  import Testing

  /// Values without their models, from a database.
  @Suite(.server) struct SelectionTests {
    private let ground: Ground
    private let container: ModelContainer

    init() throws {
      ground = try Ground()
      container = try ground.container(Schema([Customer.self, Purchase.self, Good.self]))
      let context = ModelContext(container)
      for number in 0..<40 {
        let purchase = Purchase(number, note: "city \(number % 5)")
        context.insert(purchase)
        if number % 4 != 0 {
          purchase.customer = Customer("customer \(number)", city: number % 2 == 0 ? nil : "city \(number % 3)")
        }
      }
      try context.save()
    }

    private let order = [SortDescriptor(\Purchase.number)]

    @Test func `selections, joins and ranks equal those that Swift computes`() throws {
      let context = ModelContext(container)
      let store = try #require(container.dataStores.first as? PostgresStore)
      let before = store.roundTrips
      let rows = try context.select(Purchase.self, \.number, \.customer?.name, sortBy: order)
      // One round trip for the purchases, and one for all customers that they reference.
      #expect(store.roundTrips - before <= 2)
      #expect(rows.map(\.0) == Array(0..<40))
      #expect(rows.map(\.1) == (0..<40).map { $0 % 4 == 0 ? nil : "customer \($0)" })
      let some = try context.select(
        Purchase.self, \.number, where: #Predicate { $0.number > 10 }, sortBy: order, offset: 2, limit: 3)
      #expect(some == [13, 14, 15])
      let joined = try context.select(
        Purchase.self, \.number, joining: .inner(Customer.self, on: .equal(\.note, \.city), select: \.name),
        sortBy: order)
      let customers = try context.fetch(FetchDescriptor<Customer>())
      let purchases = try context.fetch(FetchDescriptor(sortBy: order))
      let expected = purchases.flatMap { one in
        customers.filter { $0.city == one.note }.map { "\(one.number) \($0.name)" }
      }
      #expect(!expected.isEmpty && joined.map { "\($0.0) \($0.1)" }.sorted() == expected.sorted())
      let ranks = try context.select(Purchase.self, \.number, over: .position(per: \.note), atMost: 2, sortBy: order)
      #expect(ranks.map(\.0) == Array(0..<10) && ranks.map(\.1) == [1, 1, 1, 1, 1, 2, 2, 2, 2, 2])
      #expect(try context.selectDistinct(Purchase.self, \.note) == (0..<5).map { "city \($0)" })
    }

    @Test func `unsaved changes are selected`() throws {
      let context = ModelContext(container)
      let first = try #require(try context.fetch(FetchDescriptor(sortBy: order)).first)
      first.number = 99
      context.insert(Purchase(50))
      #expect(try context.select(Purchase.self, \.number, sortBy: order).suffix(3) == [39, 50, 99])
      #expect(
        try context.select(Purchase.self, \.number, sortBy: order, includePendingChanges: false) == Array(0..<40))
    }
  }
#endif
