#if Postgres
  import Foundation
  import RoostPostgres
  import RoostTestSupport
  import SwiftData
  import Testing

  /// The saves of other programs that a program sees without fetching.
  @Suite(.enabled(if: PostgresServer.missing == nil, "there is no PostgreSQL")) struct FollowingTests {
    private let market = Market()

    @Test func `a context shows what another program changes`() async throws {
      let (one, other) = (ModelContext(try market.open()), ModelContext(try market.open()))
      one.insert(Good("tea", stock: 1))
      try one.save()
      let seen = try #require(try other.fetch(FetchDescriptor<Good>()).first)
      let own = try #require(try one.fetch(FetchDescriptor<Good>()).first)
      own.stock = 2
      try one.save()
      #expect(
        try await eventually {
          // The next call takes over the news. This call asks the server for nothing.
          try other.save()
          return seen.stock == 2
        })
      one.delete(own)
      try one.save()
      #expect(
        try await eventually {
          try other.save()
          return seen.isDeleted || seen.modelContext == nil
        })
    }

    @Test func `live results get what another program inserts`() async throws {
      let (one, other) = (ModelContext(try market.open()), try market.open())
      let descriptor = FetchDescriptor<Good>(
        predicate: #Predicate { $0.stock > 0 }, sortBy: [SortDescriptor(\.title)])
      let inserted = Task {
        var titles: [[String]] = []
        for try await change in other.changes(of: descriptor) {
          titles.append(change.results.map { $0.title })
          if titles.count == 1 {
            one.insert(Good("tea", stock: 1))
            one.insert(Good("sold out"))
            try one.save()
          }
          if titles.count == 2 { break }
        }
        return titles
      }
      let titles = try await inserted.value
      #expect(titles == [[], ["tea"]])
    }

    @Test func `a reader of the history misses no save of several zones`() async throws {
      let bank = Bank(address: try PostgresServer.shared().address, namespace: PostgresServer.freshNamespace())
      let reader = ModelContext(try bank.open())
      let (writers, saves) = (3, 40)
      var seen: [Int64] = []
      try await withThrowingTaskGroup(of: Void.self) { group in
        for writer in 1...writers {
          group.addTask {
            let context = ModelContext(try bank.open())
            for number in 1...saves {
              for zone in 1...4 { context.insert(Teller(writer * 10_000 + number * 10 + zone)) }
              try context.save()
            }
          }
        }
        var token: PostgresHistoryToken?
        for _ in 0..<10_000 where seen.count < writers * saves {
          var descriptor = HistoryDescriptor<PostgresHistoryTransaction>()
          if let token { descriptor.predicate = #Predicate { $0.token > token } }
          for transaction in try reader.fetchHistory(descriptor) {
            #expect(transaction.changeCount == 4)
            seen.append(transaction.transactionIdentifier)
            token = transaction.token
          }
          await Task.yield()
        }
        try await group.waitForAll()
      }
      #expect(seen.count == writers * saves)
      #expect(Set(seen).count == seen.count)
    }

    @Test func `the history has every save, in the order of commits`() async throws {
      let one = ModelContext(try market.open())
      one.author = "till"
      let customer = Customer("Ada", city: "London")
      one.insert(customer)
      try one.save()
      customer.city = "Turin"
      customer.purchases.append(Purchase(1))
      try one.save()
      one.delete(customer)
      try one.save()

      let other = ModelContext(try market.open())
      // Open transactions of other tests delay the newest changes for a moment.
      var all: [PostgresHistoryTransaction] = []
      _ = try await eventually {
        all = try other.fetchHistory(HistoryDescriptor<PostgresHistoryTransaction>())
        return all.count == 3
      }
      #expect(all.count == 3)
      #expect(all.map(\.author) == ["till", "till", "till"])
      #expect(all.map(\.token) == all.map(\.token).sorted())
      guard all.count == 3 else { return }
      #expect(all[0].changes.map(\.changedPersistentIdentifier) == [customer.persistentModelID])
      let updates = all[1].changes.compactMap { change -> (any HistoryUpdate<Customer>)? in
        guard case .update(let update) = change else { return nil }
        return update as? any HistoryUpdate<Customer>
      }
      #expect(
        Set(updates.flatMap { $0.updatedAttributes }.map { $0 as AnyKeyPath }) == [\Customer.city, \Customer.purchases])
      let deletes = all[2].changes.compactMap { change -> (any HistoryDelete<Customer>)? in
        guard case .delete(let delete) = change else { return nil }
        return delete as? any HistoryDelete<Customer>
      }
      #expect(deletes.first?.tombstone[\.name] == "Ada")
      let token = all[0].token
      let later = HistoryDescriptor<PostgresHistoryTransaction>(predicate: #Predicate { $0.token > token })
      #expect(try other.fetchHistory(later).count == 2)
      let coded = try JSONDecoder().decode(PostgresHistoryToken.self, from: JSONEncoder().encode(token))
      #expect(coded == token)
      try other.deleteHistory(HistoryDescriptor<PostgresHistoryTransaction>())
      #expect(try other.fetchHistory(HistoryDescriptor<PostgresHistoryTransaction>()).isEmpty)
    }

    @Test func `a token is looked up, and nothing before it is read`() async throws {
      let market = market
      let container = try market.open()
      let context = ModelContext(container)
      for number in 0..<20 {
        context.insert(Good("\(number)"))
        try context.save()
      }
      var all: [PostgresHistoryTransaction] = []
      _ = try await eventually {
        all = try context.fetchHistory(HistoryDescriptor<PostgresHistoryTransaction>())
        return all.count == 20
      }
      try #require(all.count == 20)
      let store = try #require(container.dataStores.first as? PostgresStore)
      func read(_ predicate: Predicate<PostgresHistoryTransaction>) throws -> (found: Int, read: Int) {
        let before = store.notesRead
        let found = try context.fetchHistory(HistoryDescriptor<PostgresHistoryTransaction>(predicate: predicate)).count
        return (found, store.notesRead - before)
      }
      let (token, last) = (all[16].token, all[18].token)
      #expect(try read(#Predicate { $0.token > token }) == (3, 3))
      #expect(try read(#Predicate { token < $0.token }) == (3, 3))
      #expect(try read(#Predicate { $0.token >= token }) == (4, 4))
      #expect(try read(#Predicate { $0.token == token }) == (1, 4))
      #expect(try read(#Predicate { $0.author == nil && $0.token > token && $0.token > last }) == (1, 1))
      #expect(try read(#Predicate { $0.token < token }) == (16, 20))
      #expect(try read(#Predicate { $0.token > token || $0.author == nil }) == (20, 20))
    }

    @Test func `a consumer with a name is refused, because it reads files`() throws {
      let container = try market.open()
      let error = #expect(throws: RoostError.self) { _ = try container.historyConsumer(named: "search").changes() }
      #expect(error?.code == .historyOff)
    }

    @Test func `eight writers leave no gap for a reader that continues from its token`() async throws {
      let market = market
      let reader = ModelContext(try market.open())
      let counts = try await withThrowingTaskGroup(of: Int.self) { group in
        for writer in 0..<8 {
          group.addTask {
            let context = ModelContext(try market.open())
            for number in 0..<20 {
              context.insert(Good("\(writer) \(number)"))
              try context.save()
            }
            return 20
          }
        }
        return try await group.reduce(into: 0) { $0 += $1 }
      }
      var seen: Set<PersistentIdentifier> = []
      var token: PostgresHistoryToken?
      // Transactions of other tests may be open. Later transactions are read after these have
      // ended.
      _ = try await eventually {
        var descriptor = HistoryDescriptor<PostgresHistoryTransaction>()
        if let last = token { descriptor.predicate = #Predicate { $0.token > last } }
        descriptor.fetchLimit = 7
        for transaction in try reader.fetchHistory(descriptor) {
          for change in transaction.changes { seen.insert(change.changedPersistentIdentifier) }
          token = transaction.token
        }
        return seen.count >= counts
      }
      #expect(seen.count == 160)
    }
  }
#endif
