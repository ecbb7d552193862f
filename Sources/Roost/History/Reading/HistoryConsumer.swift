/// A named reader of the history that continues where it stopped. The store keeps its name and
/// position.
///
/// The store does not remove history that a consumer has not read. `Transaction` is the type of the
/// store's transactions: ``DefaultHistoryTransaction`` for files, and a database's own type for a
/// database.
///
/// The store knows a consumer from its first read or acknowledgement. Any thread may use it. Two
/// readers with one name at the same time get the same changes.
public struct HistoryConsumer<Transaction: HistoryTransaction>: Sendable {
  /// Where a new consumer begins.
  public enum Start: Sendable {
    /// With the oldest transaction of the history.
    case oldest
    /// With future commits.
    case latest
  }

  /// The name of the consumer in the stores, such as `search-index`.
  public let name: String
  let container: ModelContainer
  let start: Start

  /// The place up to which it has acknowledged everything; nil if no store knows the consumer yet.
  /// The getter throws ``RoostError`` with the code `store` if a store cannot be read.
  ///
  /// - Throws: ``SwiftDataError/invalidTransactionFetchRequest`` if no store has consumers of such
  ///   transactions. ``RoostError`` with the code `historyOff` if no store records a history, and
  ///   `store` if a store cannot be read.
  public var position: Transaction.TokenType? {
    get throws { try container.consumed(Transaction.self) { try $0.position(of: name) } }
  }

  /// Returns the transactions after its position, oldest first, at most `limit` of them. An empty
  /// array means that everything was read. Acknowledge a result before you ask for the next one.
  ///
  /// - Throws: ``SwiftDataError/historyTokenExpired`` if the history after the position is not
  ///   complete, ``RoostError`` with the code `badValue` if the limit is less than 1, and `store`
  ///   if a store cannot be read.
  ///
  /// To continue after `historyTokenExpired`:
  ///
  /// - For files whose history was off for a while, acknowledge
  ///   ``ModelContainer/latestHistoryToken``. A file whose history is still off is left out. After
  ///   it is turned on again, the consumer begins there at ``Start``.
  /// - For a database, call ``remove()``, then ``changes(atMost:)`` of a consumer that starts at
  ///   ``Start/latest``, and fetch the models again.
  public func changes(atMost limit: Int = 1000) throws -> [Transaction] {
    guard limit > 0 else {
      throw RoostError(.badValue, "the limit of transactions is \(limit): give 1 or more")
    }
    return try container.consumed(Transaction.self) {
      try $0.changes(for: name, atMost: limit, startsLatest: start == .latest)
    }
  }

  /// Acknowledges everything up to a place: the consumer does not get it again, and the store may
  /// remove it. A place before the position has no effect. When the call returns, the position is
  /// on the disk.
  ///
  /// - Throws: ``SwiftDataError/historyTokenExpired`` if the token belongs to other stores, and
  ///   ``RoostError`` with the code `store` if a store cannot be written.
  public func acknowledge(_ token: Transaction.TokenType) throws {
    try container.consumed(Transaction.self) { try $0.acknowledge(token, by: name) }
  }

  /// Calls a closure with each transaction after the position, in pieces, and acknowledges each
  /// piece. If the closure throws, the transactions before are acknowledged, and the next call
  /// begins with the transaction that failed.
  ///
  /// - Throws: what the closure throws, and what ``changes(atMost:)`` and ``acknowledge(_:)``
  ///   throw.
  public func consume(pieces: Int = 1000, _ body: (Transaction) throws -> Void) throws {
    while true {
      let piece = try changes(atMost: pieces)
      if piece.isEmpty { return }
      var done: Transaction.TokenType?
      do {
        for transaction in piece {
          try body(transaction)
          done = transaction.token
        }
      } catch {
        if let done { try acknowledge(done) }
        throw error
      }
      if let done { try acknowledge(done) }
    }
  }

  /// Removes the consumer from the stores: it no longer keeps history, and starts anew if it is
  /// used again. Returns false if no store knew it.
  ///
  /// - Throws: ``SwiftDataError/invalidTransactionFetchRequest`` if no store has consumers of such
  ///   transactions, and ``RoostError`` with the code `store` if a store cannot be written.
  @discardableResult
  public func remove() throws -> Bool { try container.consumed(Transaction.self) { try $0.forget(name) } }
}

extension ModelContainer {
  /// Returns a named reader of the history of files. It continues from its position, or begins at
  /// `start` if the stores do not know the name.
  ///
  /// ```swift
  /// try container.historyConsumer(named: "search index").consume { transaction in
  ///   for change in transaction.changes { print(change.changedPersistentIdentifier) }
  /// }
  /// ```
  public final func historyConsumer(
    named name: String, startingAt start: HistoryConsumer<DefaultHistoryTransaction>.Start = .oldest
  ) -> HistoryConsumer<DefaultHistoryTransaction> {
    historyConsumer(named: name, of: DefaultHistoryTransaction.self, startingAt: start)
  }

  /// Returns a named reader of the history of stores with transactions of a type, such as a
  /// database.
  ///
  /// ```swift
  /// let consumer = container.historyConsumer(named: "search index", of: PostgresHistoryTransaction.self)
  /// ```
  public final func historyConsumer<Transaction: HistoryTransaction>(
    named name: String, of transactions: Transaction.Type,
    startingAt start: HistoryConsumer<Transaction>.Start = .oldest
  ) -> HistoryConsumer<Transaction> { HistoryConsumer(name: name, container: self, start: start) }

  /// All consumers of the files, sorted by name. The one with the oldest
  /// ``HistoryConsumer/position`` keeps the history from being removed.
  ///
  /// - Throws: ``RoostError`` with the code `store` if a store cannot be read.
  public final var historyConsumers: [HistoryConsumer<DefaultHistoryTransaction>] {
    get throws { try historyConsumers(of: DefaultHistoryTransaction.self) }
  }

  /// Returns all consumers of a store with transactions of a type, sorted by name.
  ///
  /// - Throws: ``SwiftDataError/invalidTransactionFetchRequest`` if no store has consumers of such
  ///   transactions, and ``RoostError`` with the code `store` if a store cannot be read.
  public final func historyConsumers<Transaction: HistoryTransaction>(
    of transactions: Transaction.Type
  ) throws -> [HistoryConsumer<Transaction>] {
    try consumed(transactions) { try $0.consumerNames }.map { historyConsumer(named: $0, of: transactions) }
  }

  /// Calls the history that keeps such consumers: the files, or the first store of the program's
  /// own that does.
  fileprivate final func consumed<Transaction: HistoryTransaction, Result>(
    _ transactions: Transaction.Type, _ body: (any ConsumedHistory<Transaction>) throws -> Result
  ) throws -> Result {
    if let files = FileConsumers(container: self) as? any ConsumedHistory<Transaction> {
      return try Doorway.pass { try body(files) }
    }
    try Doorway.pass { try stores.contexts.checkOpen() }
    if let found = try stores.consumed(transactions, body) { return found }
    throw SwiftDataError.invalidTransactionFetchRequest.about(
      "no store of this container keeps consumers of \(transactions): use DefaultHistoryTransaction for files")
  }
}
