#if Postgres
  import Foundation
  import RoostPostgres
  import RoostTestSupport
  import SwiftData
  import Testing

  /// The statements of the section "What a context sees" in the guide `PostgreSQL`.
  @Suite(.server) struct ContextSightTests {
    private let ground: Ground

    init() throws { ground = try Ground() }

    /// A program that does not follow others.
    private func container(_ more: String = "") throws -> ModelContainer {
      let schema = Schema([Customer.self, Purchase.self, Good.self])
      var configuration = PostgresConfiguration(ground.address + more, schema: schema, namespace: ground.namespace)
      configuration.followsOthers = false
      return try ModelContainer(for: schema, configurations: [configuration])
    }

    private func open() throws -> ModelContext { ModelContext(try container()) }

    private func good(_ title: String, _ context: ModelContext) throws -> Good {
      try #require(try context.fetch(FetchDescriptor<Good>(predicate: #Predicate { $0.title == title })).first)
    }

    private func fill() throws {
      let context = try open()
      for title in ["tea", "salt"] { context.insert(Good(title, stock: 50)) }
      try context.save()
    }

    @Test func `a fetch is one snapshot of the server`() async throws {
      try fill()
      let ground = ground
      let writer = Task {
        let context = try open()
        let goods = try context.fetch(FetchDescriptor<Good>())
        for number in 0..<100 {
          (goods[0].stock, goods[1].stock) = (number, 100 - number)
          try context.save()
        }
      }
      var states: Set<Int> = []
      let reader = try container()
      while states.count < 100 {
        let goods = try ModelContext(reader).fetch(FetchDescriptor<Good>())
        #expect(goods.reduce(0) { $0 + $1.stock } == 100)
        if states.contains(goods[0].stock), try Self.isDone(ground) { break }
        states.insert(goods[0].stock)
        await Task.yield()
      }
      try await writer.value
    }

    private static func isDone(_ ground: Ground) throws -> Bool {
      try ground.value("SELECT max(version)::text FROM @.good") == "101"
    }

    @Test func `two fetches are two snapshots, and the second shows the newest values`() throws {
      try fill()
      let (one, other) = (try open(), try open())
      let seen = try good("tea", one)
      try good("tea", other).stock = 7
      try other.save()
      // The context does not follow others.
      #expect(seen.stock == 50)
      _ = try one.fetch(FetchDescriptor<Good>())
      #expect(seen.stock == 7)
    }

    @Test func `a fetch keeps unsaved changes`() throws {
      try fill()
      let (one, other) = (try open(), try open())
      let seen = try good("tea", one)
      seen.stock = 1
      let changed = try good("tea", other)
      (changed.stock, changed.title) = (7, "green tea")
      try other.save()
      _ = try one.fetch(FetchDescriptor<Good>())
      #expect(seen.stock == 1 && seen.title == "green tea")
      one.rollback()
      #expect(seen.stock == 7)
    }

    @Test func `an object is loaded with its newest values, which may be newer than the fetch`() throws {
      let first = try open()
      let customer = Customer("Ada", city: "London")
      first.insert(customer)
      customer.purchases.append(Purchase(1))
      try first.save()
      let (one, other) = (try open(), try open())
      let purchase = try #require(try one.fetch(FetchDescriptor<Purchase>()).first)
      try #require(try other.fetch(FetchDescriptor<Customer>()).first).city = "Turin"
      try other.save()
      // The fetch knew only the key of the customer.
      #expect(purchase.customer?.city == "Turin")
    }

    @Test func `no transaction stays open between calls`() throws {
      try fill()
      let name = "sight_\(ground.namespace)"
      let context = ModelContext(try container(" application_name=\(name)"))
      func expectIdle(_ sourceLocation: SourceLocation = #_sourceLocation) throws {
        let states = try Ground.texts(
          "SELECT state || coalesce(backend_xmin::text, '') FROM pg_stat_activity WHERE application_name = '\(name)'",
          at: ground.address)
        #expect(states == ["idle"], sourceLocation: sourceLocation)
      }
      try expectIdle()
      let seen = try good("tea", context)
      try expectIdle()
      var first = FetchDescriptor<Good>(sortBy: [SortDescriptor(\.title)])
      first.fetchLimit = 1
      _ = try context.fetch(first)
      try expectIdle()
      seen.stock = 2
      try expectIdle()
      let other = try open()
      try good("tea", other).stock = 3
      try other.save()
      context.mergePolicy = .error
      #expect(throws: RoostError.self) { try context.save() }
      try expectIdle()
      context.rollback()
      seen.stock = 4
      try context.save()
      try expectIdle()
    }

    @Test func `the later save of a property wins, unless the policy says otherwise`() throws {
      try fill()
      let (one, other) = (try open(), try open())
      let seen = try good("tea", one)
      let changed = try good("tea", other)
      (changed.stock, changed.title) = (7, "green tea")
      try other.save()
      seen.stock = 1
      one.mergePolicy = .error
      #expect(throws: RoostError.self) { try one.save() }
      #expect(try ground.value("SELECT stock::text FROM @.good WHERE title = 'green tea'") == "7")
      one.mergePolicy = .objectWins
      try one.save()
      #expect(try ground.value("SELECT stock::text FROM @.good WHERE title = 'green tea'") == "1")
      #expect(seen.stock == 1 && seen.title == "green tea")
    }

    @Test func `a save compares the objects that it writes, not those that it read`() throws {
      try fill()
      let (one, other) = (try open(), try open())
      // Each program empties one good because the other good has enough.
      let (first, second) = (try good("tea", one), try good("salt", other))
      #expect(try good("salt", one).stock == 50)
      #expect(try good("tea", other).stock == 50)
      first.stock = 0
      second.stock = 0
      one.mergePolicy = .error
      other.mergePolicy = .error
      try one.save()
      try other.save()
      #expect(try ground.value("SELECT sum(stock)::text FROM @.good") == "0")
    }

    @Test func `changes of an object that another program deleted are dropped, or a conflict`() throws {
      try fill()
      let (one, other) = (try open(), try open())
      let seen = try good("tea", one)
      other.delete(try good("tea", other))
      try other.save()
      #expect(seen.stock == 50)
      seen.stock = 9
      one.mergePolicy = .error
      let error = #expect(throws: RoostError.self) { try one.save() }
      #expect(error?.code == .conflict)
      one.mergePolicy = .objectWins
      try one.save()
      #expect(try ground.value("SELECT count(*)::text FROM @.good") == "1")
      #expect(try one.fetchCount(FetchDescriptor<Good>()) == 1)
    }
  }
#endif
