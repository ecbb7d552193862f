import Observation
import SwiftData
import Synchronization
import Testing

/// Observers, notifications and the sequence of transactions.
@Suite struct HistoryObserverTests {
  private func save(_ container: ModelContainer, by author: String? = nil, _ model: some PersistentModel) throws {
    let context = ModelContext(container)
    context.author = author
    context.insert(model)
    try context.save()
  }

  /// Waits for a change by another thread, for some seconds at most.
  private func becomes(_ condition: () throws -> Bool) async throws -> Bool {
    for _ in 0..<1000 {
      if try condition() { return true }
      try await Task.sleep(for: .milliseconds(5))
    }
    return false
  }

  @Test func `an observer counts the commits that touch its models, by its authors`() async throws {
    let container = try makeHarbor()
    let all = try HistoryObserver(modelContainer: container)
    let ships = try HistoryObserver(observedModels: [Ship.self], authors: ["one", "two"], modelContainer: container)
    #expect(all.eventCounter == 0 && ships.eventCounter == 0)
    #expect(ships.authors == ["one", "two"] && ships.observedModels.count == 1 && ships.modelContainer == container)
    try save(container, by: "one", Ship("a"))
    try save(container, by: "three", Ship("b"))
    try save(container, by: "one", Cargo("tea"))
    try save(container, Ship("c"))
    try save(container, by: "two", Ship("d"))
    #expect(try await becomes { all.eventCounter == 5 && ships.eventCounter == 2 })
    #expect(all.eventCounter == 5 && ships.eventCounter == 2)
  }

  @MainActor @Test func `a reader of the counter is notified on the actor that made it`() async throws {
    let container = try makeHarbor()
    let observer = try HistoryObserver(observedModels: [Ship.self], modelContainer: container)
    let heard = Atomic<Int>(0)
    withObservationTracking {
      _ = observer.eventCounter
    } onChange: {
      MainActor.assertIsolated()
      heard.add(1, ordering: .relaxed)
    }
    try save(container, Cargo("tea"))
    try save(container, Ship("a"))
    #expect(try await becomes { heard.load(ordering: .relaxed) == 1 && observer.eventCounter == 1 })
  }

  @Test func `an observer begins at a given token`() async throws {
    let container = try makeHarbor()
    try save(container, Ship("a"))
    let token = try container.latestHistoryToken
    let store = try #require(token.tokenValue?.keys.first)
    try save(container, Ship("b"))
    let observer = try HistoryObserver(historyTokens: [store: token], modelContainer: container)
    #expect(observer.eventCounter == 1)
    try save(container, Ship("c"))
    #expect(try await becomes { observer.eventCounter == 2 })
    // Removed history may have contained any change.
    try ModelContext(container).deleteHistory(HistoryDescriptor<Transaction>())
    let error = #expect(throws: SwiftDataError.self) {
      try HistoryObserver(historyTokens: [store: token], modelContainer: container)
    }
    #expect(error == .historyTokenExpired)
    #expect(throws: SwiftDataError.self) {
      try HistoryObserver(historyTokens: ["x": token], modelContainer: container)
    }
    let unknown = #expect(throws: RoostError.self) {
      try HistoryObserver(observedModels: [Vehicle.self], modelContainer: container)
    }
    #expect(unknown?.code == .unknownModel)
  }

  @Test func `each commit is posted with its container and tokens, when its context is free`() throws {
    let (container, other) = (try makeHarbor(), try makeHarbor())
    let context = ModelContext(container)
    let heard = Mutex<[DefaultHistoryToken]>([])
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContainer.remoteChange, object: container, queue: nil
    ) { notification in
      let key = ModelContext.NotificationKey.historyTokens.rawValue
      guard let tokens = notification.userInfo?[key] as? [String: DefaultHistoryToken] else { return }
      heard.withLock { $0 += tokens.values }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    let start = try container.latestHistoryToken
    context.insert(Ship("a"))
    try context.save()
    try context.save()
    context.insert(Ship("b"))
    try context.transaction {}
    try save(other, Ship("c"))
    try container.erase()
    let tokens = heard.withLock { $0 }
    #expect(try tokens.count == 3 && tokens == context.after(start).map(\.token))
    // A receiver that reads the history from the last token finds it.
    #expect(try context.after(tokens[1]).count == 1)
  }

  @Test func `bulk writes are posted and recorded as saves are`() throws {
    let container = try makeHarbor()
    let context = ModelContext(container)
    context.author = "bulk"
    let heard = Atomic<Int>(0)
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContainer.remoteChange, object: container, queue: nil
    ) { _ in heard.add(1, ordering: .relaxed) }
    defer { NotificationCenter.default.removeObserver(observer) }
    let start = try container.latestHistoryToken
    try context.insert(batch: 0..<3) { Ship("\($0)") }
    try context.update(model: Ship.self) { $0.tons = 9 }
    try context.deleteAll(model: Ship.self, where: #Predicate { $0.sign != "1" })
    #expect(heard.load(ordering: .relaxed) == 3)
    let told = try context.after(start)
    #expect(told.map(\.author) == ["bulk", "bulk", "bulk"])
    #expect(
      told.map { $0.changes.map(\.line) } == [
        ["+Ship", "+Ship", "+Ship"], ["~Ship tons", "~Ship tons", "~Ship tons"], ["-Ship", "-Ship"],
      ])
  }

  @Test func `two containers of one file both receive each commit, and may save meanwhile`() throws {
    let folder = try Folder()
    let configuration = ModelConfiguration(url: folder.file())
    let containers = try (0..<2).map { _ in try ModelContainer(for: Ship.self, configurations: configuration) }
    let context = ModelContext(containers[0])
    let heard = Atomic<Int>(0)
    let observers = containers.map { container in
      NotificationCenter.default.addObserver(forName: ModelContainer.remoteChange, object: container, queue: nil) { _ in
        if heard.add(1, ordering: .relaxed).newValue == 1 {
          let other = ModelContext(container)
          other.insert(Ship("by the way"))
          #expect(throws: Never.self) { try other.save() }
        }
      }
    }
    defer { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
    context.insert(Ship("a"))
    try context.save()
    #expect(heard.load(ordering: .relaxed) == 4)
    #expect(try context.fetchCount(FetchDescriptor<Ship>()) == 2)
  }

  @Test func `the sequence gives existing transactions, then new ones`() async throws {
    let container = try makeHarbor()
    let start = try container.latestHistoryToken
    try save(container, Ship("0"))
    let updates = try container.historyUpdates(after: start)
    let reader = Task { () -> [Transaction] in
      var seen: [Transaction] = []
      for try await transaction in updates {
        seen.append(transaction)
        if seen.count == 20 { break }
      }
      return seen
    }
    for number in 1..<20 {
      try save(container, Ship("\(number)"))
      if number % 5 == 0 { try await Task.sleep(for: .milliseconds(5)) }
    }
    #expect(try await reader.value == ModelContext(container).after(start))
  }

  @Test func `the sequence ends with its task, and throws if the history was removed`() async throws {
    let container = try makeHarbor()
    let waiting = Task {
      var count = 0
      for try await _ in try container.historyUpdates() { count += 1 }
      return count
    }
    try await Task.sleep(for: .milliseconds(20))
    waiting.cancel()
    #expect(try await waiting.value == 0)
    let start = try container.latestHistoryToken
    var iterator = try container.historyUpdates(after: start).makeAsyncIterator()
    try save(container, Ship("a"))
    try ModelContext(container).deleteHistory(HistoryDescriptor<Transaction>())
    let error = await #expect(throws: SwiftDataError.self) { try await iterator.next() }
    #expect(error == .historyTokenExpired)
  }

  private actor Watch {
    var observer: HistoryObserver?
    func watch(_ container: ModelContainer) throws { observer = try HistoryObserver(modelContainer: container) }
    var count: Int { observer?.eventCounter ?? 0 }
  }

  @Test func `an actor that keeps its observer is freed, and so is the observer`() async throws {
    let container = try makeHarbor()
    var watch: Watch? = Watch()
    try await watch?.watch(container)
    try save(container, Ship("a"))
    for _ in 0..<1000 where await watch?.count != 1 { try await Task.sleep(for: .milliseconds(5)) }
    #expect(await watch?.count == 1)
    weak let gone = watch
    weak let observer = await watch?.observer
    watch = nil
    #expect(try await becomes { gone == nil && observer == nil })
    try save(container, Ship("b"))
  }

}
