#if Postgres
  import Foundation
  import RoostPostgres
  import RoostTestSupport
  import SwiftData
  import Synchronization
  import Testing

  @ModelActor private actor Clerk {
    /// Reads, then keeps the actor's thread until as many actors as the meeting waits for do the same.
    func stock(_ meeting: Meeting) throws -> (stock: Int, isComplete: Bool) {
      let stock = try modelContext.fetch(FetchDescriptor<Good>()).reduce(0) { $0 + $1.stock }
      return (stock, meeting.wait())
    }
  }

  private final class Meeting: Sendable {
    private let missing: Atomic<Int>
    private let isComplete = DispatchSemaphore(value: 0)

    init(of count: Int) { missing = Atomic(count) }

    /// Returns false if the others do not come.
    func wait() -> Bool {
      if missing.subtract(1, ordering: .sequentiallyConsistent).newValue == 0 { isComplete.signal() }
      guard isComplete.wait(timeout: .now() + 60) == .success else { return false }
      isComplete.signal()
      return true
    }
  }

  /// A slow server, and the number of queries that it gets.
  @Suite(.server) struct WaitingTests {
    private let ground: Ground

    init() throws { ground = try Ground() }

    @Test func `actors that wait for the server need no thread of the tasks`() async throws {
      let container = try ground.container(Schema([Customer.self, Purchase.self, Good.self]))
      let context = ModelContext(container)
      context.insert(Good("tea", stock: 3))
      try context.save()
      // More than the processors, and so more than the threads of tasks.
      let count = 2 * ProcessInfo.processInfo.activeProcessorCount + 4
      let meeting = Meeting(of: count)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<count {
          group.addTask {
            let found = try await Clerk(modelContainer: container).stock(meeting)
            #expect(found.stock == 3 && found.isComplete)
          }
        }
        try await group.waitForAll()
      }
    }

    /// The number of round trips to the server.
    private func asked(_ container: ModelContainer, _ body: (ModelContext) throws -> Void) throws -> Int {
      let store = try #require(container.dataStores.first as? PostgresStore)
      let before = store.roundTrips
      try body(ModelContext(container))
      return store.roundTrips - before
    }

    @Test func `a loop over one fetch does not load each object separately`() throws {
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
      // One round trip for the fetch, and one for all customers.
      #expect(references == 2)
      let lists = try asked(try ground.container(schema)) { context in
        let customers = try context.fetch(FetchDescriptor<Customer>())
        #expect(customers.reduce(0) { $0 + $1.purchases.count } == 300)
        #expect(customers.flatMap(\.purchases).flatMap(\.goods).count == 600)
      }
      // One for the fetch, one for the lists of all customers, one for the purchases with their
      // lists.
      #expect(lists == 3)
      let far = try asked(try ground.container(schema)) { context in
        let customers = try context.fetch(FetchDescriptor<Customer>())
        #expect(Set(customers.flatMap(\.purchases).flatMap(\.goods).map(\.title)).count == 300)
      }
      #expect(far == 4)
    }
  }
#endif
