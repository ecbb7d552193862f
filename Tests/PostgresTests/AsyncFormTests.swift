#if Postgres
  import Foundation
  import RoostPostgres
  import RoostTestSupport
  import SwiftData
  import Testing

  /// Fetches that release their thread while they wait.
  @Suite(.server) struct AsyncFormTests {
    private let ground: Ground
    private static let schema = Schema([Customer.self, Purchase.self, Good.self])

    init() throws { ground = try Ground() }

    private func fill(customers: Int) throws {
      let context = ModelContext(try ground.container(Self.schema))
      let goods = (0..<customers).map { Good("good \($0)", stock: $0) }
      for number in 0..<customers {
        let customer = Customer("customer \(number)", city: number.isMultiple(of: 3) ? "Köln" : "Bonn")
        context.insert(customer)
        customer.purchases = (0..<(number % 4)).map { Purchase(10 * number + $0, note: "note \($0)") }
        for purchase in customer.purchases { purchase.goods = [goods[number], goods[(number + 1) % customers]] }
      }
      try context.save()
    }

    /// Queries that the server answers completely, in part, and not at all.
    private static func descriptors(_ number: Int) -> FetchDescriptor<Purchase> {
      let predicates: [Predicate<Purchase>?] = [
        nil, #Predicate { $0.number > 40 }, #Predicate { $0.customer?.city == "Köln" },
        #Predicate { $0.note.localizedStandardContains("NOTE 1") },
        #Predicate { $0.customer?.name.localizedStandardContains("customer 1") == true },
        #Predicate { $0.goods.contains { $0.title.localizedStandardContains("good 2") } },
      ]
      var descriptor = FetchDescriptor<Purchase>(predicate: predicates[number % predicates.count])
      switch number / predicates.count % 4 {
      case 1: descriptor.sortBy = [SortDescriptor(\.number, order: .reverse)]
      case 2: descriptor.sortBy = [SortDescriptor(\.customer?.name), SortDescriptor(\.number)]
      case 3:
        descriptor.sortBy = [SortDescriptor(\.number)]
        (descriptor.fetchOffset, descriptor.fetchLimit) = (2, 5)
      default: break
      }
      return descriptor
    }

    @Test func `the async form finds the same models as the plain form, even with unsaved changes`() async throws {
      try fill(customers: 20)
      for seed in UInt64(1)...2 {
        var random = SplitMix64(seed: seed)
        for number in 0..<24 {
          let descriptor = Self.descriptors(number)
          let (one, other) = (
            ModelContext(try ground.container(Self.schema)), ModelContext(try ground.container(Self.schema))
          )
          if seed > 1 {
            // Both contexts have the same unsaved changes.
            let (at, change) = (Int(random.next() % 20), Int(random.next() % 4))
            for context in [one, other] {
              let purchases = try context.fetch(FetchDescriptor<Purchase>(sortBy: [SortDescriptor(\.number)]))
              switch change {
              case 0: context.insert(Purchase(45, note: "note 1"))
              case 1: context.delete(purchases[at])
              case 2: purchases[at].number += 50
              default: purchases[at].customer?.city = "Köln"
              }
            }
          }
          func texts(_ purchases: [Purchase]) -> [String] {
            let all = purchases.map { "\($0.number) \($0.note)" }
            return descriptor.sortBy.isEmpty ? all.sorted() : all
          }
          let found = texts(try await one.fetching(descriptor))
          #expect(found == texts(try other.fetch(descriptor)), "seed \(seed), descriptor \(number)")
          let count = try await one.fetchingCount(descriptor)
          #expect(try count == other.fetchCount(descriptor), "seed \(seed), descriptor \(number)")
        }
      }
    }

    @Test func `loaded objects are read without the server`() async throws {
      try fill(customers: 50)
      let container = try ground.container(Self.schema)
      let store = try #require(container.dataStores.first as? PostgresStore)
      let context = ModelContext(container)
      let customers = try await context.fetching(FetchDescriptor<Customer>())
      try await context.loading(customers, \.purchases)
      let purchases = customers.flatMap(\.purchases)
      try await context.loading(purchases, \.goods)
      try await context.loading(purchases, \.customer)
      let before = store.roundTrips
      // The fetch, the purchases and the goods.
      #expect(before > 0)
      #expect(purchases.count == 73 && purchases.flatMap(\.goods).reduce(0) { $0 + $1.title.count } > 0)
      #expect(Set(purchases.compactMap(\.customer?.name)).count == 37)
      #expect(store.roundTrips == before)
    }

    @Test func `deleted models end the loading`() async throws {
      try fill(customers: 8)
      let container = try ground.container(Self.schema)
      let context = ModelContext(container)
      let customers = try await context.fetching(FetchDescriptor<Customer>())
      try ground.sql("TRUNCATE @.purchase CASCADE")
      try await context.loading(customers, \.purchases)
      #expect(customers.count == 8)
    }

    @MainActor @Test func `changes during the wait are part of the result`() async throws {
      let ground = try Ground(.forLocks())
      let container = try ground.container(Self.schema)
      try ground.save(ModelContext(container), (0..<4).map { Good("good \($0)", stock: $0) })
      let context = container.mainContext
      context.autosaveEnabled = false
      let lock = try Connection(ground.address)
      try lock.run("BEGIN")
      try lock.run("LOCK TABLE \"\(ground.namespace)\".good IN ACCESS EXCLUSIVE MODE")
      var descriptor = FetchDescriptor<Good>(sortBy: [SortDescriptor(\.stock, order: .reverse)])
      descriptor.fetchLimit = 2
      let fetch = Task { try await context.fetching(descriptor).map(\.stock) }
      // The main actor is free.
      try await Task.sleep(for: .milliseconds(40))
      for stock in [100, 50] { context.insert(Good("new", stock: stock)) }
      try lock.run("ROLLBACK")
      #expect(try await fetch.value == [100, 50])
      #expect(context.hasChanges)
      context.rollback()
    }

    private struct Late: Error { let pause: Duration }

    /// Throws if a timer is late while 200 tasks wait for a server that answers after 100 ms.
    private static func waitWithTimer() async throws {
      let (ground, proxy) = (try Ground(), try CutProxy())
      try ground.save(ModelContext(ground.container(schema)), [Good("tea")])
      // Each container has one connection, which answers one query after another.
      let containers = try (0..<20).map { _ in try ground.container(schema, address: proxy.address) }
      proxy.delay(milliseconds: 100)
      let timer = Task {
        var longest = Duration.zero
        var last = ContinuousClock.now
        while !Task.isCancelled {
          try? await Task.sleep(for: .milliseconds(10))
          longest = max(longest, ContinuousClock.now - last)
          last = ContinuousClock.now
        }
        return longest
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<200 {
          group.addTask {
            let context = ModelContext(containers[number % containers.count])
            let count = try await context.fetching(FetchDescriptor<Good>()).count
            #expect(count == 1)
          }
        }
        try await group.waitForAll()
      }
      timer.cancel()
      let longest = await timer.value
      FileHandle.standardError.write(Data("longest pause: \(longest)\n".utf8))
      // If threads of tasks wait, the pause is as long as all queries together: 10 seconds on 2
      // threads.
      if longest > .seconds(1) { throw Late(pause: longest) }
    }

    /// It runs in its own process, because other tests block threads of tasks.
    @Test(.enabled(if: CutProxy.socketFolder() != nil, "the server has no socket in a folder"))
    func `tasks that wait for a slow server leave the threads to others`() async throws {
      let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
        try await AsyncFormTests.waitWithTimer()
      }
      print(String(decoding: result.standardErrorContent, as: UTF8.self))
    }

    @MainActor private static func useMainContext() async throws {
      let container = try Ground().container(schema)
      let context = container.mainContext
      context.insert(Customer("Ada"))
      try context.save()
      for _ in 0..<3 { _ = try context.fetchCount(FetchDescriptor<Good>()) }
    }

    @MainActor private static func fetchInMainContext() async throws {
      let container = try Ground().container(schema)
      try await container.connect()
      _ = try await container.mainContext.fetching(FetchDescriptor<Customer>())
    }

    @Test func `a main thread that waits for the server is reported once`() async throws {
      let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
        try await AsyncFormTests.useMainContext()
      }
      let said = String(decoding: result.standardErrorContent, as: UTF8.self)
      #expect(said.split(separator: "\n").count { $0.contains("main thread waits") } == 1, "\(said)")
      let quiet = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
        try await AsyncFormTests.fetchInMainContext()
      }
      #expect(!String(decoding: quiet.standardErrorContent, as: UTF8.self).contains("main thread waits"))
    }
  }
#endif
