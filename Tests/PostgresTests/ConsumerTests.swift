#if Postgres
  import Foundation
  import RoostPostgres
  import RoostTestSupport
  import SwiftData
  import Testing

  /// Named readers of the history, whose places the server stores.
  @Suite(.server) struct ConsumerTests {
    private typealias Transaction = PostgresHistoryTransaction
    private typealias Consumer = HistoryConsumer<PostgresHistoryTransaction>

    private let ground: Ground
    private static let schema = Schema([Customer.self, Purchase.self, Good.self])

    init() throws { ground = try Ground() }

    /// Another program.
    private func open(historyDays: Int? = 30) throws -> ModelContainer {
      var configuration = PostgresConfiguration(ground.address, schema: Self.schema, namespace: ground.namespace)
      configuration.followsOthers = false
      configuration.historyDays = historyDays
      return try ModelContainer(for: Self.schema, configurations: [configuration])
    }

    private func consumer(_ name: String, _ container: ModelContainer, startingAt start: Consumer.Start = .oldest)
      -> Consumer
    { container.historyConsumer(named: name, of: Transaction.self, startingAt: start) }

    /// Makes a save for each title.
    private func save(_ container: ModelContainer, _ titles: String...) throws {
      let context = ModelContext(container)
      for title in titles {
        context.author = title
        context.insert(Good(title))
        try context.save()
      }
    }

    private func titles(_ transactions: [Transaction]) -> [String?] { transactions.map(\.author) }

    private func rows() throws -> Int { Int(try ground.value("SELECT count(*)::text FROM @.roost_change") ?? "") ?? -1 }

    /// Makes all notes older than the configuration keeps them.
    private func age() throws { try ground.sql("UPDATE @.roost_change SET time = now() - interval '40 days'") }

    // MARK: Reading

    @Test func `each spelling of a name is one consumer`() throws {
      let container = try open()
      let (one, other) = (consumer("cafe\u{301}", container), consumer("caf\u{E9}", container))
      _ = try one.changes()
      #expect(try container.historyConsumers(of: Transaction.self).map(\.name) == ["caf\u{E9}"])
      #expect(try other.position != nil)
      #expect(try other.remove() && !one.remove())
    }

    @Test func `a consumer of a closed container throws`() throws {
      let container = try open()
      let search = consumer("search", container)
      _ = try search.changes()
      try container.close()
      let error = #expect(throws: RoostError.self) { try search.changes() }
      #expect(error?.code == .closed)
    }

    @Test func `a consumer continues after the last acknowledged place, even in the next program`() async throws {
      do {
        let container = try open()
        try save(container, "a", "b", "c")
        try await ground.settle()
        let search = consumer("search", container)
        #expect(try search.position == nil)
        #expect(try container.historyConsumers(of: Transaction.self).isEmpty)
        let piece = try search.changes(atMost: 2)
        #expect(titles(piece) == ["a", "b"])
        #expect(try search.changes(atMost: 2) == piece)
        #expect(try container.historyConsumers(of: Transaction.self).map(\.name) == ["search"])
        try search.acknowledge(piece[1].token)
        #expect(try search.position == piece[1].token)
        // Going back has no effect.
        try search.acknowledge(piece[0].token)
        #expect(try search.position == piece[1].token)
      }
      let container = try open()
      let search = consumer("search", container)
      let rest = try search.changes()
      #expect(titles(rest) == ["c"])
      try search.acknowledge(try #require(rest.last).token)
      #expect(try search.changes().isEmpty)
      try save(container, "d")
      try await ground.settle()
      #expect(titles(try search.changes()) == ["d"])
    }

    @Test func `a transaction of many notes is one, in pieces of any size`() async throws {
      let container = try open()
      let context = ModelContext(container)
      for number in 1...3 {
        context.author = "\(number)"
        context.insert(Customer("customer \(number)"))
        context.insert(Purchase(number))
        context.insert(Good("good \(number)"))
        try context.save()
      }
      try await ground.settle()
      for limit in [1, 2, 3, 1000, Int.max] {
        var seen: [Transaction] = []
        try consumer("pieces of \(limit)", container).consume(pieces: limit) { seen.append($0) }
        #expect(titles(seen) == ["1", "2", "3"])
        #expect(seen.allSatisfy { $0.changeCount == 3 })
      }
    }

    @Test func `consuming acknowledges processed changes, and the others come again`() async throws {
      let container = try open()
      let names = (0..<25).map { "\($0)" }
      for name in names { try save(container, name) }
      try await ground.settle()
      let one = consumer("one", container)
      struct Failed: Error {}
      var seen: [Transaction] = []
      #expect(throws: Failed.self) {
        try one.consume(pieces: 10) { transaction in
          if seen.count == 13 { throw Failed() }
          seen.append(transaction)
        }
      }
      #expect(try one.position == seen[12].token)
      try consumer("one", open()).consume(pieces: 4) { seen.append($0) }
      #expect(titles(seen) == names)
      #expect(try one.changes().isEmpty)
    }

    @Test func `two consumers have separate places`() async throws {
      let container = try open()
      try save(container, "a", "b")
      try await ground.settle()
      let (one, other) = (consumer("one", container), consumer("other", container))
      let all = try one.changes()
      try one.acknowledge(all[1].token)
      #expect(titles(try other.changes()) == ["a", "b"])
      try other.acknowledge(all[0].token)
      #expect(try one.changes().isEmpty)
      #expect(titles(try other.changes()) == ["b"])
      let known = try open().historyConsumers(of: Transaction.self)
      #expect(known.map(\.name) == ["one", "other"])
      #expect(try known.map { try $0.position } == [all[1].token, all[0].token])
    }

    @Test func `many programs that read under one name miss nothing`() async throws {
      let names = (0..<40).map { "\($0)" }
      let container = try open()
      for name in names { try save(container, name) }
      try await ground.settle()
      let seen = try await withThrowingTaskGroup(of: [String?].self) { group in
        for _ in 0..<4 {
          group.addTask {
            var seen: [Transaction] = []
            try consumer("shared", open()).consume(pieces: 3) { seen.append($0) }
            return titles(seen)
          }
        }
        return try await group.reduce(into: Set<String?>()) { $0.formUnion($1) }
      }
      #expect(seen == Set(names))
      #expect(try consumer("shared", container).changes().isEmpty)
    }

    @Test func `places never move back when programs acknowledge at the same time`() async throws {
      let container = try open()
      for number in 0..<20 { try save(container, "\(number)") }
      try await ground.settle()
      let tokens = try consumer("reader", container).changes().map(\.token)
      try #require(tokens.count == 20)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for seed in UInt64(1)...4 {
          group.addTask {
            let shared = consumer("shared", try open())
            var random = SplitMix64(seed: seed)
            for token in tokens.shuffled(using: &random) {
              try shared.acknowledge(token)
              let position = try #require(try shared.position)
              #expect(position >= token, "seed \(seed)")
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(try consumer("shared", container).position == tokens.last)
    }

    // MARK: Open transactions

    /// A note that another program writes in a transaction.
    private func write(_ connection: Connection, author: String) throws {
      try connection.run("BEGIN")
      try connection.run(
        "INSERT INTO \"\(ground.namespace)\".roost_change (zone, number, id, client, author, class, kind, keys, properties) VALUES "
          + "('', 1, gen_random_uuid(), gen_random_uuid(), '\(author)', 'Good', 'insert', ARRAY[gen_random_uuid()], '{}')"
      )
    }

    @Test func `changes that are committed after an open transaction wait for it`() async throws {
      let container = try open()
      try save(container, "a")
      try await ground.settle()
      let search = consumer("search", container)
      let late = try Connection(ground.address)
      try write(late, author: "late")
      try save(container, "b")
      var seen: [String?] = []
      try search.consume { seen.append($0.author) }
      #expect(seen == ["a"])
      try late.run("COMMIT")
      try await ground.settle()
      try search.consume { seen.append($0.author) }
      #expect(seen == ["a", "late", "b"])
    }

    @Test func `the latest place is after all commits, and before open transactions`() async throws {
      let container = try open()
      try save(container, "a")
      try await ground.settle()
      let (late, lost) = (try Connection(ground.address), try Connection(ground.address))
      try write(late, author: "late")
      try write(lost, author: "lost")
      try save(container, "b")
      let search = consumer("search", container, startingAt: .latest)
      #expect(try search.changes().isEmpty)
      try save(container, "c")
      try late.run("COMMIT")
      try lost.run("ROLLBACK")
      try await ground.settle()
      #expect(titles(try search.changes()) == ["late", "c"])
      // Even in pieces, and in the next program.
      var seen: [String?] = []
      try consumer("search", open()).consume(pieces: 1) { seen.append($0.author) }
      #expect(seen == ["late", "c"])
      #expect(try search.changes().isEmpty)
      // A known name cannot start at another place.
      try save(container, "d")
      try await ground.settle()
      #expect(titles(try consumer("search", container, startingAt: .latest).changes()) == ["d"])
    }

    // MARK: Removing

    @Test func `changes that the slowest consumer has not read are kept, and the consumer is named`() async throws {
      let container = try open()
      let context = ModelContext(container)
      try save(container, "a", "b", "c", "d", "e")
      try await ground.settle()
      let (slow, quick) = (consumer("slow", container), consumer("quick", container))
      let all = try slow.changes()
      try slow.acknowledge(all[1].token)
      try quick.acknowledge(all[3].token)
      let author = "d"
      let one = try context.deleteHistory(
        HistoryDescriptor<Transaction>(predicate: #Predicate { $0.author == author }))
      #expect(one.heldBy == ["slow"])
      let token = all[1].token
      let early = try context.deleteHistory(
        HistoryDescriptor<Transaction>(predicate: #Predicate { $0.token < token }))
      #expect(early.isComplete)
      #expect(try rows() == 4)
      let deletion = try context.deleteHistory(HistoryDescriptor<Transaction>())
      #expect(deletion.heldBy == ["slow"])
      #expect(titles(try slow.changes()) == ["c", "d", "e"])
      #expect(try rows() == 3)
      #expect(try slow.remove() && !slow.remove())
      #expect(try context.deleteHistory(HistoryDescriptor<Transaction>()).heldBy == ["quick"])
      #expect(titles(try quick.changes()) == ["e"])
      try quick.acknowledge(all[4].token)
      #expect(try context.deleteHistory(HistoryDescriptor<Transaction>()).isComplete)
      #expect(try rows() == 0)
      #expect(try quick.changes().isEmpty)
    }

    @Test func `old changes are removed by the next save, but not before they were read`() async throws {
      let container = try open()
      try save(container, "a", "b", "c")
      try await ground.settle()
      let slow = consumer("slow", container)
      let first = try #require(try slow.changes(atMost: 1).first)
      try slow.acknowledge(first.token)
      try age()
      try save(open(), "d")
      try await ground.settle()
      #expect(try rows() == 3)
      #expect(titles(try slow.changes()) == ["b", "c", "d"])
      try age()
      try slow.remove()
      try save(open(), "e")
      try await ground.settle()
      #expect(try rows() == 1)
      // A place before the removed changes is reported. A new consumer starts with the remaining
      // changes.
      let error = #expect(throws: SwiftDataError.self) { try slow.acknowledge(first.token) }
      #expect(error == .historyTokenExpired)
      #expect(error.map { "\($0)".contains("remove()") } == true)
      #expect(titles(try slow.changes()) == ["e"])
      #expect(throws: SwiftDataError.self) { try slow.acknowledge(first.token) }
      #expect(titles(try slow.changes()) == ["e"])
    }

    @Test func `a consumer whose place is lost gets an error, keeps no changes, and starts over`() async throws {
      let container = try open()
      try save(container, "a", "b")
      try await ground.settle()
      let (one, other) = (consumer("one", container), consumer("other", container))
      let all = try one.changes()
      try one.acknowledge(all[0].token)
      try container.erase()
      try save(container, "c")
      try await ground.settle()
      let error = #expect(throws: SwiftDataError.self) { try one.changes() }
      #expect(error == .historyTokenExpired)
      #expect(throws: SwiftDataError.self) { try one.acknowledge(all[1].token) }
      #expect(titles(try other.changes()) == ["c"])
      try other.acknowledge(try #require(try other.changes().last).token)
      #expect(try ModelContext(container).deleteHistory(HistoryDescriptor<Transaction>()).isComplete)
      try one.remove()
      let next = consumer("one", container, startingAt: .latest)
      #expect(try next.changes().isEmpty)
      try save(container, "d")
      try await ground.settle()
      #expect(titles(try next.changes()) == ["d"])
    }

    /// No place is after the commits and before the open transactions, so an erase could leave the
    /// consumer at its place.
    @Test func `an erase ends a consumer that started at the latest change while a transaction was open`()
      async throws
    {
      let container = try open()
      try save(container, "a")
      let old = try Connection(ground.address)
      try old.run("BEGIN")
      try old.run("SELECT pg_current_xact_id()")
      let search = consumer("search", container, startingAt: .latest)
      #expect(try search.changes().isEmpty)
      try save(container, "b")
      let place = try #require(try search.position)
      try container.erase()
      // A place from before the erase does not help.
      #expect(throws: SwiftDataError.self) { try search.acknowledge(place) }
      let error = #expect(throws: SwiftDataError.self) { try search.changes() }
      #expect(error == .historyTokenExpired)
      // A consumer that starts after an erase gets an error after the next one.
      let next = consumer("next", container, startingAt: .latest)
      #expect(try next.changes().isEmpty)
      try save(container, "c")
      try container.erase()
      #expect(throws: SwiftDataError.self) { try next.changes() }
      let last = consumer("last", container, startingAt: .latest)
      #expect(try last.changes().isEmpty)
      try save(container, "d")
      try old.run("COMMIT")
      try await ground.settle()
      #expect(titles(try last.changes()) == ["d"])
      for one in [search, next] { #expect(throws: SwiftDataError.self) { try one.changes() } }
    }

    @Test func `a consumer that starts while notes are removed misses none after its first one`() async throws {
      let last = 60
      let namespace = ground.namespace
      let container = try open()
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          for number in 1...last { try save(container, "\(number)") }
        }
        group.addTask {
          let context = ModelContext(try open())
          for _ in 0..<last { try context.deleteHistory(HistoryDescriptor<Transaction>()) }
        }
        group.addTask {
          let reader = try open()
          for round in 0..<20 {
            let one = consumer("\(namespace) \(round)", reader)
            var seen: [Int] = []
            for _ in 0..<4 { try one.consume(pieces: 2) { seen.append(Int($0.author ?? "") ?? 0) } }
            #expect(seen == Array((seen.first ?? 1)..<(seen.first ?? 1) + seen.count), "round \(round)")
            try one.remove()
          }
        }
        try await group.waitForAll()
      }
    }

    // MARK: Errors

    @Test func `a token of another store is refused`() async throws {
      let container = try open()
      try save(container, "a")
      let elsewhere = try ConsumerTests()
      let other = try elsewhere.open()
      try elsewhere.save(other, "b")
      try await elsewhere.ground.settle()
      let token = try #require(try elsewhere.consumer("one", other).changes().last).token
      let error = #expect(throws: SwiftDataError.self) { try consumer("one", container).acknowledge(token) }
      #expect(error == .historyTokenExpired)
      #expect(try consumer("one", container).position == nil)
    }

    @Test func `a token that the server has not given yet is refused`() async throws {
      let container = try open()
      try save(container, "a")
      try await ground.settle()
      let search = consumer("search", container)
      let known = try #require(try search.changes().last).token
      let text = String(decoding: try JSONEncoder().encode(known), as: UTF8.self)
      let transaction = try #require(known.tokenValue?.values.first)
      let later = try JSONDecoder().decode(
        PostgresHistoryToken.self, from: Data(text.replacing("\(transaction)", with: "\(transaction + 1_000_000)").utf8)
      )
      for name in ["search", "new"] {
        let error = #expect(throws: SwiftDataError.self) { try consumer(name, container).acknowledge(later) }
        #expect(error == .historyTokenExpired)
      }
      #expect(try container.historyConsumers(of: Transaction.self).map(\.name) == ["search"])
      #expect(titles(try search.changes()) == ["a"])
      // A database that was restored from another server has this state.
      try search.acknowledge(known)
      try ground.sql("UPDATE @.roost_consumer SET xid = '9000000000000' WHERE name = 'search'")
      let error = #expect(throws: SwiftDataError.self) { try search.changes() }
      #expect(error == .historyTokenExpired)
    }

    @Test func `names have any letters`() async throws {
      let container = try open()
      try save(container, "a")
      try await ground.settle()
      let names = [
        "it's; DROP TABLE roost_consumer --", "名前 🔍", "\"q\" \\ $1 %", " ", String(repeating: "é", count: 128),
      ]
      for name in names {
        let one = consumer(name, container)
        try one.acknowledge(try #require(try one.changes().last).token)
      }
      #expect(try Set(container.historyConsumers(of: Transaction.self).map(\.name)) == Set(names))
      for name in names { #expect(try consumer(name, open()).remove()) }
    }

    @Test func `names that cannot be stored are refused`() throws {
      let container = try open()
      for name in ["", String(repeating: "n", count: 257), "search\0index"] {
        let one = consumer(name, container)
        for call in [{ _ = try one.changes() }, { _ = try one.position }, { _ = try one.remove() }] {
          let error = #expect(throws: RoostError.self, performing: call)
          #expect(error?.code == .badValue && error?.detail.contains("name") == true)
        }
      }
      for limit in [0, -1] {
        let error = #expect(throws: RoostError.self) { try consumer("one", container).changes(atMost: limit) }
        #expect(error?.code == .badValue)
      }
      #expect(try container.historyConsumers(of: Transaction.self).isEmpty)
    }

    @Test func `a consumer is one of the stores that have its transactions`() throws {
      let container = try open()
      let files = #expect(throws: RoostError.self) { try container.historyConsumer(named: "search").changes() }
      #expect(files?.code == .historyOff)
      #expect(files?.detail.contains("of: PostgresHistoryTransaction.self") == true)
      let file = try ModelContainer(for: Self.schema, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      let none = #expect(throws: SwiftDataError.self) { try consumer("search", file).changes() }
      #expect(none == .invalidTransactionFetchRequest)
      let silent = try open(historyDays: nil)
      let off = #expect(throws: RoostError.self) { try consumer("search", silent).changes() }
      #expect(off?.code == .historyOff && off?.detail.contains("historyDays") == true)
    }

    @Test func `a database of an earlier version gets the table`() async throws {
      do { try save(open(), "a") }
      try ground.sql("DROP TABLE @.roost_consumer")
      let container = try open()
      try await ground.settle()
      #expect(titles(try consumer("search", container).changes()) == ["a"])
    }

    @Test func `a call in a cancelled task sends nothing`() async throws {
      let container = try open()
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try consumer("search", container).changes().count
      }
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(try container.historyConsumers(of: Transaction.self).isEmpty)
    }
  }
#endif
