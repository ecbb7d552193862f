import SwiftData
import Testing

/// Predicates and orders of the history. Look-ups must give the same result as a test of each
/// transaction.
@Suite struct HistoryBoundTests {
  private func filled() throws -> (ModelContainer, [Transaction]) {
    let container = try makeHarbor()
    let context = ModelContext(container)
    for number in 0..<150 {
      context.author = number % 3 == 0 ? nil : number % 3 == 1 ? "one" : "other"
      context.insert(number % 2 == 0 ? Ship("\(number)") : Ship("odd \(number)"))
      if number % 7 == 0 { context.insert(Boat(number)) }
      try context.save()
    }
    return (container, try context.all())
  }

  private func check(
    _ container: ModelContainer, _ all: [Transaction], _ predicate: Predicate<Transaction>,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let context = ModelContext(container)
    let expected = try all.filter { try predicate.evaluate($0) }
    #expect(try context.all(predicate) == expected, sourceLocation: sourceLocation)
    var descriptor = HistoryDescriptor(predicate: predicate)
    descriptor.fetchLimit = 4
    #expect(try context.fetchHistory(descriptor) == Array(expected.prefix(4)), sourceLocation: sourceLocation)
    descriptor.sortBy = [SortDescriptor(\.token, order: .reverse)]
    #expect(
      try context.fetchHistory(descriptor) == Array(expected.reversed().prefix(4)), sourceLocation: sourceLocation)
    descriptor.fetchLimit = 0
    #expect(try context.fetchHistory(descriptor) == expected.reversed(), sourceLocation: sourceLocation)
  }

  @Test func `a predicate gives the same result as a test of each transaction`() throws {
    let (container, all) = try filled()
    let store = try #require(all.first?.storeIdentifier)
    let some: String? = "one"
    for place in [0, 1, 63, 64, 65, 100, all.count - 1] {
      let (token, number, time) = (all[place].token, all[place].transactionIdentifier, all[place].timestamp)
      let optional: DefaultHistoryToken? = token
      try check(container, all, #Predicate { $0.token > token })
      try check(container, all, #Predicate { $0.token >= token })
      try check(container, all, #Predicate { $0.token < token })
      try check(container, all, #Predicate { token >= $0.token })
      try check(container, all, #Predicate { $0.token == token })
      try check(container, all, #Predicate { $0.token != token })
      try check(container, all, #Predicate { $0.token > optional! })
      try check(container, all, #Predicate { $0.token > token && $0.author == "one" })
      try check(container, all, #Predicate { $0.author == some && $0.token <= token })
      try check(container, all, #Predicate { $0.author == nil && $0.transactionIdentifier >= number })
      try check(container, all, #Predicate { $0.transactionIdentifier == number })
      try check(container, all, #Predicate { $0.transactionIdentifier < number || $0.author == "other" })
      try check(container, all, #Predicate { $0.timestamp >= time })
      try check(container, all, #Predicate { $0.timestamp > time && $0.author != "one" })
      try check(container, all, #Predicate { $0.timestamp < time })
      try check(container, all, #Predicate { $0.timestamp <= time && !($0.token > token) })
      try check(container, all, #Predicate { $0.timestamp == time })
      try check(container, all, #Predicate { $0.id > number })
      try check(container, all, #Predicate { $0.storeIdentifier == store && $0.token > token })
    }
    try check(container, all, #Predicate { $0.author == "nobody" })
    try check(container, all, #Predicate { $0.author == "" })
    try check(container, all, #Predicate { $0.author == "one" && $0.author == "other" })
    try check(container, all, #Predicate { $0.storeIdentifier == "elsewhere" })
    try check(container, all, #Predicate { $0.transactionIdentifier > -5 })
    try check(container, all, #Predicate { $0.transactionIdentifier < -5 })
    try check(container, all, #Predicate { $0.changes.count == 2 })
    try check(container, all, #Predicate { $0.changeCount == 2 && $0.author == "one" })
    try check(container, all, #Predicate { _ in true })
    try check(container, all, #Predicate { _ in false })
    let (past, future, never) = (Date.distantPast, Date.distantFuture, Date(timeIntervalSinceReferenceDate: .nan))
    try check(container, all, #Predicate { $0.timestamp > past && $0.timestamp < future })
    try check(container, all, #Predicate { $0.timestamp > future })
    try check(container, all, #Predicate { $0.timestamp < never })
    let identifier = try #require(all[80].changes.first?.changedPersistentIdentifier)
    try check(container, all, #Predicate { $0.changes.contains { $0.changedPersistentIdentifier == identifier } })
  }

  private func behind<TX: HistoryTransaction>(_ token: TX.TokenType, _ context: ModelContext) throws -> [TX]
  where TX.TokenType: HistoryToken {
    try context.fetchHistory(HistoryDescriptor<TX>(predicate: #Predicate { $0.token > token && $0.author == "one" }))
  }

  @Test func `generic code can use predicates`() throws {
    let (container, all) = try filled()
    let found: [Transaction] = try behind(all[70].token, ModelContext(container))
    #expect(found == all[71...].filter { $0.author == "one" } && !found.isEmpty)
  }

  @Test func `any order is applied`() throws {
    let (container, all) = try filled()
    let context = ModelContext(container)
    func sorted(_ by: [SortDescriptor<Transaction>], _ limit: UInt64 = 0) throws -> [Transaction] {
      var descriptor = HistoryDescriptor<Transaction>(sortBy: by)
      descriptor.fetchLimit = limit
      return try context.fetchHistory(descriptor)
    }
    #expect(
      try sorted([SortDescriptor(\.author), SortDescriptor(\.token, order: .reverse)]).map(\.author)
        == all.map(\.author).sorted { ($0 ?? "") < ($1 ?? "") })
    #expect(try sorted([SortDescriptor(\.changeCount, order: .reverse)], 3).map(\.changeCount) == [2, 2, 2])
    #expect(try sorted([SortDescriptor(\.timestamp)]) == all)
    #expect(try sorted([SortDescriptor(\.timestamp, order: .reverse)], 5) == Array(all.reversed().prefix(5)))
    #expect(
      try sorted([SortDescriptor(\.transactionIdentifier, order: .reverse)], 5) == Array(all.reversed().prefix(5)))
    let byTime = try sorted([SortDescriptor(\.timestamp, order: .reverse), SortDescriptor(\.author)])
    #expect(byTime == all.sorted(using: [SortDescriptor(\.timestamp, order: .reverse), SortDescriptor(\.author)]))
    #expect(try sorted([], .max) == all)
  }

  @Test func `a predicate on another kind of transaction is refused`() throws {
    struct Other: HistoryTransaction {
      var id: Int { 0 }
      var timestamp: Date { .now }
      var changes: [HistoryChange] { [] }
      var token: DefaultHistoryToken
      var transactionIdentifier: Int64 { 0 }
      var storeIdentifier: String { "" }
      var author: String? { nil }
    }
    let context = ModelContext(try makeHarbor())
    let error = #expect(throws: SwiftDataError.self) { try context.fetchHistory(HistoryDescriptor<Other>()) }
    #expect(error == .invalidTransactionFetchRequest && "\(error!)".contains("DefaultHistoryTransaction"))
    #expect(throws: SwiftDataError.self) { try context.deleteHistory(HistoryDescriptor<Other>()) }
  }

  // MARK: Removing

  @Test func `history is removed from its oldest end`() throws {
    let (container, all) = try filled()
    let context = ModelContext(container)
    var expected = all[...]
    func delete(_ predicate: Predicate<Transaction>?, limit: UInt64 = 0) throws {
      var descriptor = HistoryDescriptor(predicate: predicate)
      descriptor.fetchLimit = limit
      #expect(try context.deleteHistory(descriptor).isComplete)
      #expect(try context.all() == Array(expected))
    }
    let (token, time, number) = (all[10].token, all[40].timestamp, all[100].transactionIdentifier)
    expected = all[10...]
    try delete(#Predicate { $0.token < token })
    try delete(#Predicate { $0.token < token })
    expected = all[11...]
    try delete(#Predicate { $0.token <= token })
    expected = all[14...]
    try delete(nil, limit: 3)
    expected = all[(all.firstIndex { $0.timestamp >= time } ?? 0)...].drop { $0.token < all[14].token }
    try delete(#Predicate { $0.timestamp < time })
    expected = all[101...]
    try delete(#Predicate { $0.transactionIdentifier <= number })
    try delete(#Predicate { $0.storeIdentifier == "elsewhere" })
    let early = #expect(throws: SwiftDataError.self) { try context.after(token) }
    #expect(early == .historyTokenExpired && "\(early!)".contains("latestHistoryToken"))
    expected = []
    try delete(nil)
    let latest = try container.latestHistoryToken
    #expect(try context.after(latest).isEmpty && latest > all[149].token)
  }

  @Test func `only the oldest part can be removed`() throws {
    let (container, all) = try filled()
    let context = ModelContext(container)
    let token = all[10].token
    let wrong: [Predicate<Transaction>] = [
      #Predicate { $0.token > token }, #Predicate { $0.author == "one" }, #Predicate { $0.changes.isEmpty },
      #Predicate { $0.token < token || $0.author == nil }, #Predicate { $0.token == token },
    ]
    for predicate in wrong {
      let error = #expect(throws: SwiftDataError.self) {
        try context.deleteHistory(HistoryDescriptor(predicate: predicate))
      }
      #expect(error == .invalidTransactionFetchRequest)
    }
    #expect(throws: SwiftDataError.self) {
      try context.deleteHistory(HistoryDescriptor<Transaction>(sortBy: [SortDescriptor(\.token, order: .reverse)]))
    }
    #expect(try context.all() == all)
  }
}
