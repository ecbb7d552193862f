import Foundation
import SwiftData
import Testing

@Model final class Trip {
  @Attribute(.unique, .preserveValueOnDeletion) var code: String
  @Attribute(.preserveValueOnDeletion) var name: String
  var isFavorite = false

  init(_ code: String, name: String) {
    self.code = code
    self.name = name
  }
}

/// An index that follows the models.
private final class SearchIndex {
  var count = 0
  func update(_ transaction: DefaultHistoryTransaction) { count += transaction.changeCount }
  func update(_ transactions: [DefaultHistoryTransaction]) { for one in transactions { update(one) } }
}

private actor Outbox {
  var sent: [DefaultHistoryTransaction] = []
  func add(_ transaction: DefaultHistoryTransaction) { sent.append(transaction) }
}

/// The code of the guide to the history.
@Suite struct HistoryGuideTests {
  private func container() throws -> ModelContainer {
    try ModelContainer(for: Trip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  private func insert(_ codes: String..., by author: String, _ container: ModelContainer) throws {
    let context = ModelContext(container)
    context.author = author
    for code in codes {
      context.insert(Trip(code, name: code))
      try context.save()
    }
  }

  @Test func `a token is stored, and reading continues from it`() throws {
    let container = try container()
    let context = ModelContext(container)
    context.author = "app"
    context.insert(Trip("T1", name: "Iceland"))
    try context.save()
    let token = try container.latestHistoryToken
    let data = try JSONEncoder().encode(token)
    try insert("T2", "T3", by: "import", container)
    let other = ModelContext(container)
    other.author = "import"
    for trip in try other.fetch(FetchDescriptor<Trip>()) {
      if trip.code == "T1" { other.delete(trip) } else { trip.isFavorite = true }
    }
    try other.save()
    try insert("T4", by: "app", container)

    let place = try JSONDecoder().decode(DefaultHistoryToken.self, from: data)
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
      predicate: #Predicate { $0.token > place && $0.author == "import" })
    descriptor.fetchLimit = 100
    let transactions = try context.fetchHistory(descriptor)
    #expect(transactions.count == 3)

    var newest = HistoryDescriptor<DefaultHistoryTransaction>(sortBy: [SortDescriptor(\.token, order: .reverse)])
    newest.fetchLimit = 2
    #expect(try context.fetchHistory(newest).map(\.author) == ["app", "import"])

    var (added, starred): ([PersistentIdentifier], [PersistentIdentifier]) = ([], [])
    var removed: [String] = []
    for transaction in transactions {
      for change in transaction.changes {
        switch change {
        case .insert(let insert as DefaultHistoryInsert<Trip>):
          added.append(insert.changedPersistentIdentifier)
        case .update(let update as DefaultHistoryUpdate<Trip>):
          if update.updatedAttributes.contains(\.isFavorite) { starred.append(update.changedPersistentIdentifier) }
        case .delete(let delete as DefaultHistoryDelete<Trip>):
          if let code: String = delete.tombstone[\.code] { removed.append(code) }
        default: break
        }
      }
    }
    #expect(added.count == 2 && Set(added) == Set(starred) && removed == ["T1"])
  }

  @Test func `an expired token throws, and consumers keep the history`() throws {
    let container = try container()
    let context = ModelContext(container)
    try insert("T1", "T2", by: "app", container)
    var place = try container.latestHistoryToken
    let index = SearchIndex()
    let consumer = container.historyConsumer(named: "search")
    try consumer.consume { transaction in
      index.update(transaction)
    }
    #expect(index.count == 2)
    try insert("T3", by: "app", container)
    let piece = try consumer.changes(atMost: 100)
    if let last = piece.last {
      index.update(piece)
      try consumer.acknowledge(last.token)
    }
    #expect(index.count == 3)
    try insert("T4", by: "app", container)

    let deletion = try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token < place }))
    if !deletion.isComplete { print("held by", deletion.heldBy) }
    #expect(deletion.isComplete)
    #expect(try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>()).heldBy == ["search"])

    var isReadAnew = false
    func readEverything() throws { isReadAnew = true }
    func catchUp(from place: DefaultHistoryToken) throws {
      _ = try context.fetchHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > place }))
    }
    do {
      try catchUp(from: place)
    } catch SwiftDataError.historyTokenExpired {
      let newest = try container.latestHistoryToken
      try readEverything()
      place = newest
    }
    #expect(try isReadAnew && place == container.latestHistoryToken)
  }

  @Test func `a configuration limits the history`() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).roost")
    defer { try? FileManager.default.removeItem(at: url) }
    let month = ModelConfiguration(url: url, history: .changes, historyRetention: .days(30))
    let silent = ModelConfiguration(url: url, isHistoryEnabled: false)
    let everything = ModelConfiguration(url: url, history: .full)
    for configuration in [month, silent, everything] {
      let container = try ModelContainer(for: Trip.self, configurations: configuration)
      try insert("\(UUID())", by: "app", container)
      #expect((try? container.latestHistoryToken) != nil || configuration == silent)
    }
  }

  @Test func `commits are observed`() async throws {
    let container = try container()
    let place = try container.latestHistoryToken
    let observer = try HistoryObserver(observedModels: [Trip.self], modelContainer: container)
    try insert("T1", "T2", by: "app", container)
    let outbox = Outbox()
    @Sendable func send(_ transaction: DefaultHistoryTransaction) async { await outbox.add(transaction) }
    let reader = Task {
      for try await transaction in try container.historyUpdates(after: place) {
        await send(transaction)
      }
    }
    for _ in 0..<1000 where await outbox.sent.count < 2 { try await Task.sleep(for: .milliseconds(5)) }
    reader.cancel()
    try await reader.value
    #expect(await outbox.sent.map(\.author) == ["app", "app"])
    for _ in 0..<1000 where observer.eventCounter < 2 { try await Task.sleep(for: .milliseconds(5)) }
    #expect(observer.eventCounter == 2)
  }
}
