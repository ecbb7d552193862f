#if Postgres
  import Foundation
  import RoostPostgres
  import RoostTestSupport
  import SwiftData
  import Synchronization
  import Testing

  @ModelActor private actor Clerk {
    func stock() throws -> Int {
      try modelContext.fetch(FetchDescriptor<Good>()).reduce(0) { $0 + $1.stock }
    }
  }

  private final class Ticks: Sendable {
    let count = Atomic<Int>(0)
    let isDone = Atomic<Bool>(false)
  }

  /// A server that takes its time, and how often it is asked.
  @Suite(.server) struct WaitingTests {
    private let ground: Ground

    init() throws { ground = try Ground() }

    @Test func `tasks that wait for the server keep no other task waiting`() async throws {
      let proxy = try CutProxy()
      let container = try ground.container(
        Schema([Customer.self, Purchase.self, Good.self]), address: proxy.address)
      let context = ModelContext(container)
      context.insert(Good("tea", stock: 3))
      try context.save()
      proxy.delay(milliseconds: 50)
      let clock = Ticks()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<40 {
          group.addTask {
            let stock = try await Clerk(modelContainer: container).stock()
            #expect(stock == 3)
          }
        }
        let timer = Task {
          while !clock.isDone.load(ordering: .relaxed) {
            try await Task.sleep(for: .milliseconds(10))
            clock.count.add(1, ordering: .relaxed)
          }
        }
        try await group.waitForAll()
        clock.isDone.store(true, ordering: .relaxed)
        try await timer.value
      }
      // Forty answers take two seconds, since they come one after the other.
      #expect(clock.count.load(ordering: .relaxed) > 40)
    }

    /// What the server is asked, in round trips.
    private func asked(_ container: ModelContainer, _ body: (ModelContext) throws -> Void) throws -> Int {
      let store = try #require(container.dataStores.first as? PostgresStore)
      let before = store.roundTrips
      try body(ModelContext(container))
      return store.roundTrips - before
    }

    @Test func `a loop over one fetch does not ask for each object`() throws {
      let schema = Schema([Customer.self, Purchase.self, Good.self])
      let filling = ModelContext(try ground.container(schema))
      let goods = (0..<300).map { Good("good \($0)") }
      for number in 0..<300 {
        let customer = Customer("customer \(number)")
        filling.insert(customer)
        let purchase = Purchase(number)
        customer.purchases = [purchase]
        purchase.goods = [goods[number], goods[(number + 1) % 300]]
      }
      try filling.save()

      let references = try asked(try ground.container(schema)) { context in
        let purchases = try context.fetch(FetchDescriptor<Purchase>(sortBy: [SortDescriptor(\.number)]))
        #expect(purchases.map { $0.customer?.name ?? "" } == (0..<300).map { "customer \($0)" })
      }
      // The fetch, and all customers at once.
      #expect(references == 2)
      let lists = try asked(try ground.container(schema)) { context in
        let customers = try context.fetch(FetchDescriptor<Customer>())
        #expect(customers.reduce(0) { $0 + $1.purchases.count } == 300)
        #expect(customers.flatMap(\.purchases).flatMap(\.goods).count == 600)
      }
      // The fetch, which has the keys of lists, then the purchases. The keys of their goods came with them.
      #expect(lists == 2)
      let far = try asked(try ground.container(schema)) { context in
        let customers = try context.fetch(FetchDescriptor<Customer>())
        #expect(Set(customers.flatMap(\.purchases).flatMap(\.goods).map(\.title)).count == 300)
      }
      #expect(far == 3)
    }
  }
#endif
