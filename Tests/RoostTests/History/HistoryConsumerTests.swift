import SwiftData
import Testing

/// Named consumers, and which parts of the history are removed.
@Suite struct HistoryConsumerTests {
  private func save(_ container: ModelContainer, _ signs: [String]) throws {
    let context = ModelContext(container)
    for sign in signs {
      context.insert(Ship(sign))
      try context.save()
    }
  }

  @Test func `a consumer continues where it acknowledged, even in the next program`() throws {
    let folder = try Folder()
    func open() throws -> ModelContainer {
      try ModelContainer(for: Ship.self, configurations: ModelConfiguration(url: folder.file()))
    }
    do {
      let container = try open()
      try save(container, ["a", "b", "c"])
      let consumer = container.historyConsumer(named: "search")
      #expect(try consumer.position == nil && container.historyConsumers.isEmpty)
      let piece = try consumer.changes(atMost: 2)
      #expect(try piece.count == 2 && piece == consumer.changes(atMost: 2))
      #expect(try container.historyConsumers.map(\.name) == ["search"])
      try consumer.acknowledge(piece[1].token)
      #expect(try consumer.position == piece[1].token)
      // Going back has no effect.
      try consumer.acknowledge(piece[0].token)
      #expect(try consumer.position == piece[1].token)
    }
    let container = try open()
    let consumer = container.historyConsumer(named: "search")
    let all = try ModelContext(container).all()
    #expect(try consumer.changes() == Array(all[2...]) && all.count > 2)
    try consumer.acknowledge(try container.latestHistoryToken)
    #expect(try consumer.changes().isEmpty)
    try save(container, ["d"])
    #expect(try consumer.changes().flatMap(\.changes).map(\.line) == ["+Ship"])
  }

  @Test func `consuming acknowledges finished transactions, and others come again`() throws {
    let container = try makeHarbor()
    try save(container, (0..<25).map { "\($0)" })
    let consumer = container.historyConsumer(named: "one")
    struct Failed: Error {}
    var seen: [Transaction] = []
    #expect(throws: Failed.self) {
      try consumer.consume(pieces: 10) { transaction in
        if seen.count == 13 { throw Failed() }
        seen.append(transaction)
      }
    }
    #expect(try consumer.position == seen[12].token)
    try consumer.consume(pieces: 4) { seen.append($0) }
    #expect(try seen == ModelContext(container).all() && consumer.changes().isEmpty)
  }

  @Test func `a consumer may begin with new transactions`() throws {
    let container = try makeHarbor()
    try save(container, ["a"])
    let consumer = container.historyConsumer(named: "late", startingAt: .latest)
    #expect(try consumer.changes().isEmpty)
    try save(container, ["b"])
    #expect(try consumer.changes().count == 1)
    #expect(try consumer.remove() && !consumer.remove())
    #expect(try consumer.position == nil && container.historyConsumers.isEmpty)
    #expect(try container.historyConsumer(named: "late").changes().count > 1)
  }

  @Test func `transactions that the slowest consumer has not read stay, and it is named`() throws {
    let container = try makeHarbor()
    let context = ModelContext(container)
    try save(container, ["a", "b", "c", "d", "e"])
    let all = try context.all()
    let (slow, quick) = (container.historyConsumer(named: "slow"), container.historyConsumer(named: "quick"))
    _ = try (slow.changes(), quick.changes())
    try slow.acknowledge(all[1].token)
    try quick.acknowledge(all[3].token)
    let deletion = try context.deleteHistory(HistoryDescriptor<Transaction>())
    #expect(!deletion.isComplete && deletion.heldBy == ["slow"])
    #expect(try context.all() == Array(all[2...]) && slow.changes() == Array(all[2...]))
    try slow.remove()
    #expect(try context.deleteHistory(HistoryDescriptor<Transaction>()).heldBy == ["quick"])
    #expect(try quick.changes() == Array(all[4...]))
    try quick.acknowledge(try container.latestHistoryToken)
    #expect(try context.deleteHistory(HistoryDescriptor<Transaction>()).isComplete)
    #expect(try context.all().isEmpty)
  }

  @Test func `a commit without rows delays no consumer`() throws {
    let container = try makeHarbor()
    // A store's first commit makes its tables.
    #expect(try container.historyConsumer(named: "first").changes().isEmpty)
    #expect(try ModelContext(container).deleteHistory(HistoryDescriptor<Transaction>()).isComplete)
    try save(container, ["a"])
    #expect(try ModelContext(container).deleteHistory(HistoryDescriptor<Transaction>()).heldBy == ["first"])
  }

  @Test func `wrong use of a consumer is an error`() throws {
    let (container, other) = (try makeHarbor(), try makeHarbor())
    try save(container, ["a"])
    let consumer = container.historyConsumer(named: "one")
    for limit in [0, -1] {
      let error = #expect(throws: RoostError.self) { try consumer.changes(atMost: limit) }
      #expect(error?.code == .badValue)
    }
    let foreign = #expect(throws: SwiftDataError.self) { try consumer.acknowledge(try other.latestHistoryToken) }
    #expect(foreign == .historyTokenExpired)
    for name in ["", String(repeating: "n", count: 257)] {
      let error = #expect(throws: RoostError.self) { try container.historyConsumer(named: name).changes() }
      #expect(error?.code == .badValue && error?.detail.contains("name") == true)
    }
    #expect(try container.historyConsumers.isEmpty)
    let silent = try ModelContainer(
      for: Ship.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true, isHistoryEnabled: false))
    let off = #expect(throws: RoostError.self) { try silent.historyConsumer(named: "one").changes() }
    #expect(off?.code == .historyOff)
  }

  @Test func `a consumer gets an error if the history was off meanwhile, and may continue`() throws {
    let folder = try Folder()
    func open(_ history: ModelConfiguration.History) throws -> ModelContainer {
      try ModelContainer(for: Ship.self, configurations: ModelConfiguration(url: folder.file(), history: history))
    }
    do {
      let container = try open(.changes)
      let consumer = container.historyConsumer(named: "one")
      _ = try consumer.changes()
      try consumer.acknowledge(try container.latestHistoryToken)
    }
    do { try save(try open(.off), ["a"]) }
    let container = try open(.full)
    let consumer = container.historyConsumer(named: "one")
    let error = #expect(throws: SwiftDataError.self) { try consumer.changes() }
    #expect(error == .historyTokenExpired)
    try consumer.acknowledge(try container.latestHistoryToken)
    try save(container, ["b"])
    #expect(try consumer.changes().count == 1)
  }

  @Test func `many threads that read with one name miss nothing`() async throws {
    let container = try makeHarbor()
    try save(container, (0..<40).map { "\($0)" })
    let all = try ModelContext(container).all()
    let seen = try await withThrowingTaskGroup(of: [Transaction].self) { group in
      for _ in 0..<4 {
        group.addTask {
          var seen: [Transaction] = []
          try container.historyConsumer(named: "shared").consume(pieces: 3) { seen.append($0) }
          return seen
        }
      }
      return try await group.reduce(into: Set<Transaction>()) { $0.formUnion($1) }
    }
    #expect(seen == Set(all))
    #expect(try container.historyConsumer(named: "shared").position == all.last?.token)
  }

  // MARK: Retention

  @Test func `old history is removed at opening and after commits, if it was read`()
    async throws
  {
    let folder = try Folder()
    func open(_ retention: ModelConfiguration.HistoryRetention?) throws -> ModelContainer {
      var configuration = ModelConfiguration(url: folder.file())
      configuration.historyRetention = retention
      return try ModelContainer(for: Ship.self, configurations: configuration)
    }
    do {
      let container = try open(nil)
      try save(container, ["a", "b"])
      #expect(try ModelContext(container).all().count >= 2)
    }
    do {
      let container = try open(.days(1))
      #expect(try ModelContext(container).all().count >= 2)
      _ = try container.historyConsumer(named: "slow", startingAt: .latest).changes()
      try save(container, ["c"])
    }
    try await Task.sleep(for: .milliseconds(20))
    let container = try open(.duration(.milliseconds(1)))
    #expect(try ModelContext(container).all().count == 1)
    try container.historyConsumer(named: "slow").remove()
    // Each removal comes at least a second after the last one, with a commit.
    for number in 0..<200 {
      try save(container, ["later \(number)"])
      try await Task.sleep(for: .milliseconds(20))
      if try ModelContext(container).all().count < number { return }
    }
    Issue.record("nothing was removed")
  }

  @Test func `a negative retention is refused`() throws {
    for retention in [ModelConfiguration.HistoryRetention.days(-1), .hours(.min), .duration(.seconds(-1))] {
      var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
      configuration.historyRetention = retention
      let error = #expect(throws: RoostError.self) { try ModelContainer(for: Ship.self, configurations: configuration) }
      #expect(error?.code == .badValue && error?.detail.contains("days") == true)
    }
    for retention in [ModelConfiguration.HistoryRetention.days(.max), .duration(.seconds(Int64.max)), .days(0)] {
      var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
      configuration.historyRetention = retention
      let container = try ModelContainer(for: Ship.self, configurations: configuration)
      try save(container, ["a"])
    }
  }

  @Test func `a consumer of two stores continues in one if the history of the other is off`() throws {
    let folder = try Folder()
    func open(_ second: ModelConfiguration.History) throws -> ModelContainer {
      let one = ModelConfiguration("one", schema: Schema([Artist.self]), url: folder.file("one.roost"))
      var two = ModelConfiguration("two", schema: Schema([Boat.self]), url: folder.file("two.roost"))
      two.history = second
      return try ModelContainer(for: Schema([Artist.self, Boat.self]), configurations: [one, two])
    }
    func add(_ number: Int, _ container: ModelContainer) throws {
      let context = ModelContext(container)
      context.insert(Artist("\(number)"))
      context.insert(Boat(number))
      try context.save()
    }
    do {
      let container = try open(.changes)
      try add(1, container)
      let consumer = container.historyConsumer(named: "search")
      #expect(try consumer.changes().count >= 2)
      try consumer.acknowledge(try container.latestHistoryToken)
    }
    do {
      let container = try open(.off)
      let consumer = container.historyConsumer(named: "search")
      #expect(try consumer.changes().isEmpty)
      try add(2, container)
      let error = #expect(throws: SwiftDataError.self) { try consumer.changes() }
      #expect(error == .historyTokenExpired)
      try consumer.acknowledge(try container.latestHistoryToken)
      #expect(try consumer.changes().isEmpty)
      try add(3, container)
      #expect(try consumer.changes().flatMap(\.changes).map(\.line) == ["+Artist"])
      try consumer.acknowledge(try container.latestHistoryToken)
    }
    // When it is on again, the consumer gets everything of the second store.
    let container = try open(.changes)
    let consumer = container.historyConsumer(named: "search")
    try add(4, container)
    while true {
      do {
        let lines = try consumer.changes().flatMap(\.changes).map(\.line)
        #expect(lines.contains("+Artist") && lines.contains("+Boat"))
        break
      } catch SwiftDataError.historyTokenExpired {
        try consumer.acknowledge(try container.latestHistoryToken)
        try add(5, container)
      }
    }
  }

}
