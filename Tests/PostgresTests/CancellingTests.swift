#if Postgres
  import Foundation
  import RoostPostgres
  import RoostTestSupport
  import SwiftData
  import Testing

  @ModelActor private actor Clerk {
    func stock() async throws -> Int {
      try await modelContext.fetching(FetchDescriptor<Good>()).reduce(0) { $0 + $1.stock }
    }

    func save(stock: Int) async throws {
      for good in try modelContext.fetch(FetchDescriptor<Good>()) { good.stock = stock }
      try await saveAgain()
    }

    func saveAgain() async throws { try await modelContext.withCancellation { try modelContext.save() } }
    var hasChanges: Bool { modelContext.hasChanges }
    func hasStock(after body: @Sendable () -> Void) throws -> Bool {
      body()
      return try modelContext.fetchCount(FetchDescriptor<Good>()) > 0
    }
  }

  /// Another program's transaction, which blocks all others.
  private struct Barrier {
    private let connection: Connection
    private let ground: Ground

    init(_ ground: Ground, _ statement: String) throws {
      self.ground = ground
      connection = try Connection(ground.address)
      try connection.run("BEGIN")
      try connection.run(statement.replacing("@", with: "\"\(ground.namespace)\""))
    }

    /// Waits until a statement waits for the transaction.
    func isMet() async throws {
      // In a cluster a statement waits on a worker.
      let activity = try ground.isCluster() ? "citus_stat_activity" : "pg_stat_activity"
      let question =
        "SELECT count(*)::text FROM \(activity) WHERE wait_event_type = 'Lock' AND query LIKE '%\(ground.namespace)%'"
      let isMet = try await eventually { try ground.value(question) != "0" }
      #expect(isMet, "no statement waits")
    }

    func open() throws { try connection.run("ROLLBACK") }
  }

  /// Calls that end early: the task is cancelled, or the server takes too long.
  @Suite(.server, .serialized) struct CancellingTests {
    private let ground: Ground
    private let container: ModelContainer
    private static let table = "LOCK TABLE @.good IN ACCESS EXCLUSIVE MODE"
    /// Longer than a fetch or a save takes on a loaded machine with a cluster, if nothing blocks
    /// it.
    private static let patience = Duration.milliseconds(1500)
    private static let row = "UPDATE @.good SET stock = stock"

    init() throws {
      ground = try Ground(.forLocks())
      container = try Self.container(ground, patience: nil)
      try ground.save(ModelContext(container), [Good("tea", stock: 3)])
    }

    private static func container(_ ground: Ground, patience: Duration?) throws -> ModelContainer {
      let schema = Schema([Customer.self, Purchase.self, Good.self])
      var configuration = PostgresConfiguration(ground.address, schema: schema, namespace: ground.namespace)
      configuration.patience = patience
      return try ModelContainer(for: schema, configurations: [configuration])
    }

    private func process(_ container: ModelContainer) throws -> Int32 {
      try #require(container.dataStores.first as? PostgresStore).process
    }

    private func stock() throws -> String? { try ground.value("SELECT stock::text FROM @.good") }

    @Test func `a fetch that is cancelled ends, and the connection is used again`() async throws {
      let barrier = try Barrier(ground, Self.table)
      let clerk = Clerk(modelContainer: container)
      let process = try process(container)
      let task = Task { try await clerk.stock() }
      try await barrier.isMet()
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      try barrier.open()
      #expect(try await clerk.stock() == 3)
      #expect(try self.process(container) == process)
    }

    @Test func `a save that is cancelled is not committed, and can be saved again`() async throws {
      let barrier = try Barrier(ground, Self.row)
      let clerk = Clerk(modelContainer: container)
      let task = Task { try await clerk.save(stock: 9) }
      try await barrier.isMet()
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      try barrier.open()
      #expect(try stock() == "3")
      #expect(await clerk.hasChanges)
      try await clerk.saveAgain()
      #expect(try stock() == "9")
    }

    @Test func `a write that is cancelled at any time is committed or throws`() async throws {
      let container = container
      var outcomes: [String: Int] = [:]
      var before = 3
      var shortest = Duration.milliseconds(20)
      for round in 100..<180 {
        let clock = ContinuousClock()
        let start = clock.now
        let task = Task {
          try await container.write { context in
            for good in try context.fetch(FetchDescriptor<Good>()) { good.stock = round }
          }
        }
        // The first ones show how long a write takes.
        if round >= 105 {
          let limit = Int64(shortest / .microseconds(1))
          try await Task.sleep(for: .microseconds(Int64.random(in: 0...limit)))
          task.cancel()
        }
        let result = await task.result
        if round < 105 { shortest = min(shortest, clock.now - start) }
        switch result {
        case .success:
          outcomes["committed", default: 0] += 1
          before = round
        case .failure(let error):
          outcomes["cancelled", default: 0] += 1
          #expect(error is CancellationError)
        }
        #expect(try stock() == "\(before)", "round \(round)")
      }
      print("cancelled writes: \(outcomes)")
      #expect(outcomes["committed", default: 0] >= 5 && outcomes["cancelled", default: 0] > 0)
    }

    @Test func `a plain call in a cancelled task sends nothing`() async throws {
      let clerk = Clerk(modelContainer: container)
      let task = Task {
        try await clerk.hasStock { while !Task.isCancelled { Thread.sleep(forTimeInterval: 0.001) } }
      }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(try await clerk.hasStock {})
    }

    @Test func `a fetch that the server does not answer in time ends, and the connection is used again`() throws {
      let container = try Self.container(ground, patience: Self.patience)
      let process = try process(container)
      let barrier = try Barrier(ground, Self.table)
      let error = refusal { _ = try ModelContext(container).fetch(FetchDescriptor<Good>()) }
      #expect(error?.code == .timedOut && error?.detail.contains("1.5 seconds") == true, "\(String(describing: error))")
      try barrier.open()
      #expect(try ModelContext(container).fetch(FetchDescriptor<Good>()).map(\.stock) == [3])
      #expect(try self.process(container) == process)
    }

    @Test func `a save that the server does not answer in time is not committed, and can be saved again`() throws {
      let context = ModelContext(try Self.container(ground, patience: Self.patience))
      for good in try context.fetch(FetchDescriptor<Good>()) { good.stock = 8 }
      let barrier = try Barrier(ground, Self.row)
      #expect(refusal { try context.save() }?.code == .timedOut)
      try barrier.open()
      #expect(try stock() == "3")
      try context.save()
      #expect(try stock() == "8")
    }

    @Test func `an import that the server does not answer in time is not committed, and can be repeated`() throws {
      let container = try Self.container(ground, patience: Self.patience)
      func run() throws { try container.importer(for: Good.self).run(models: (0..<10).map { Good("imported \($0)") }) }
      let process = try process(container)
      let barrier = try Barrier(ground, Self.table)
      #expect(refusal { try run() }?.code == .timedOut)
      try barrier.open()
      #expect(try ground.value("SELECT count(*)::text FROM @.good") == "1")
      try run()
      #expect(try ground.value("SELECT count(*)::text FROM @.good") == "11")
      #expect(try self.process(container) == process)
    }

    @Test(.enabled(if: PostgresServer.given == nil, "the server belongs to others"))
    func `a stopped server does not block a program forever`() throws {
      let server = try PostgresServer.start()
      let ground = Ground(namespace: PostgresServer.freshNamespace(), address: server.address)
      let container = try Self.container(ground, patience: .milliseconds(500))
      try ground.save(ModelContext(container), [Good("tea", stock: 3)])
      let saving = ModelContext(try Self.container(ground, patience: .milliseconds(500)))
      for good in try saving.fetch(FetchDescriptor<Good>()) { good.stock = 7 }

      let folder = try #require(server.address.split(separator: " ").first?.dropFirst(5))
      let main = try String(contentsOfFile: "\(folder)/data/postmaster.pid", encoding: .utf8)
      let others = try Ground.texts("SELECT pid::text FROM pg_stat_activity", at: server.address)
      let processes = ([main.split(separator: "\n").first.map(String.init) ?? ""] + others).compactMap { pid_t($0) }
      for process in processes { kill(process, SIGSTOP) }
      defer { for process in processes { kill(process, SIGCONT) } }

      let start = ContinuousClock.now
      #expect(refusal { _ = try ModelContext(container).fetch(FetchDescriptor<Good>()) }?.code == .timedOut)
      // The server cannot be asked about the save.
      #expect(refusal { try saving.save() }?.code == .commitUncertain)
      #expect(refusal { _ = try Self.container(ground, patience: .milliseconds(500)) }?.code == .timedOut)
      #expect(refusal { _ = try ModelContext(container).fetch(FetchDescriptor<Good>()) }?.code == .timedOut)
      #expect(ContinuousClock.now - start < .seconds(60))

      for process in processes { kill(process, SIGCONT) }
      #expect(try ModelContext(container).fetch(FetchDescriptor<Good>()).count == 1)
      try saving.save()
      #expect(try ground.value("SELECT stock::text FROM @.good") == "7")
    }
  }
#endif
