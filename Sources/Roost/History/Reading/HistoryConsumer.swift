/// A reader of the history that goes on from where it was, by a name that the store keeps.
///
/// The store keeps beside the models how far the consumer came, and does not remove what the consumer has not read. `Transaction` is the
/// type of the store's transactions: ``DefaultHistoryTransaction`` of files, and that of a database for a database.
///
/// A consumer is known to the store from its first reading, or its first acknowledgement. It may be used on any thread; two that read by one
/// name at the same time get the same changes.
public struct HistoryConsumer<Transaction: HistoryTransaction>: Sendable {
  /// Where a consumer begins that the stores do not know yet.
  public enum Start: Sendable {
    /// With the oldest transaction that is there.
    case oldest
    /// With what is committed from then on.
    case latest
  }

  /// The name by which the stores know the consumer, such as `search-index`.
  public let name: String
  let container: ModelContainer
  let start: Start

  /// The place up to which it has acknowledged everything; nil where no store knows it yet.
  public var position: Transaction.TokenType? {
    get throws { try container.consumed(Transaction.self) { try $0.position(of: name) } }
  }

  /// The transactions after its position, oldest first, and no more than a piece of them: an empty one says that everything is read. The next
  /// piece comes when this one is acknowledged.
  ///
  /// Where something after the position is not known, it throws ``SwiftDataError/historyTokenExpired``. To go on:
  ///
  /// - Of files, whose history was off for a while, acknowledge ``ModelContainer/latestHistoryToken``. A file whose history is still off is left
  ///   out. When it is on again, the consumer begins there anew at ``Start``.
  /// - For a database call ``remove()``, then ``changes(atMost:)`` of a consumer that starts at ``Start/latest``, and fetch the models again.
  public func changes(atMost limit: Int = 1000) throws -> [Transaction] {
    guard limit > 0 else {
      throw RoostError(.badValue, "the limit of transactions is \(limit): give 1 or more")
    }
    return try container.consumed(Transaction.self) {
      try $0.changes(for: name, atMost: limit, startsLatest: start == .latest)
    }
  }

  /// Says that everything up to a place is done: it need not be told again, and may be removed. A place before the position has no effect.
  /// When it returns this is on the disk.
  public func acknowledge(_ token: Transaction.TokenType) throws {
    try container.consumed(Transaction.self) { try $0.acknowledge(token, by: name) }
  }

  /// Calls a closure with each transaction after the position, a piece after the other, and acknowledges each piece. Where the closure
  /// throws, what came before is acknowledged, and the transaction comes again the next time.
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

  /// Makes the stores forget it: it holds no history any more, and begins anew if it is used again. False if no store knew it.
  @discardableResult
  public func remove() throws -> Bool { try container.consumed(Transaction.self) { try $0.forget(name) } }
}

extension ModelContainer {
  /// A reader of the history of files by a name, from where it was; from `start` if the stores do not know the name.
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

  /// A reader of the history of stores with transactions of a type, such as a database. All else is as with files.
  ///
  /// ```swift
  /// let consumer = container.historyConsumer(named: "search index", of: PostgresHistoryTransaction.self)
  /// ```
  public final func historyConsumer<Transaction: HistoryTransaction>(
    named name: String, of transactions: Transaction.Type,
    startingAt start: HistoryConsumer<Transaction>.Start = .oldest
  ) -> HistoryConsumer<Transaction> { HistoryConsumer(name: name, container: self, start: start) }

  /// All consumers that the files know, by name. The one whose ``HistoryConsumer/position`` is the oldest holds the history.
  public final var historyConsumers: [HistoryConsumer<DefaultHistoryTransaction>] {
    get throws { try historyConsumers(of: DefaultHistoryTransaction.self) }
  }

  /// All consumers that a store with transactions of a type knows, by name.
  public final func historyConsumers<Transaction: HistoryTransaction>(
    of transactions: Transaction.Type
  ) throws -> [HistoryConsumer<Transaction>] {
    try consumed(transactions) { try $0.consumerNames }.map { historyConsumer(named: $0, of: transactions) }
  }

  /// Calls what keeps the places of consumers of such transactions: the files, or the first store of a program's own that does it.
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
