/// A history that keeps named consumers: how far each has read, and what they have not read.
///
/// A consumer exists from its first read or acknowledgement.
package protocol ConsumedHistory<Transaction> {
  associatedtype Transaction: HistoryTransaction

  /// Returns the token up to which a consumer has acknowledged everything; nil for an unknown
  /// consumer.
  func position(of consumer: String) throws -> Transaction.TokenType?

  /// Returns the transactions after a consumer's position, oldest first.
  ///
  /// - Parameter startsLatest: whether an unknown consumer begins with future commits.
  func changes(for consumer: String, atMost limit: Int, startsLatest: Bool) throws -> [Transaction]

  /// Sets a consumer's position. An earlier position than the current one has no effect.
  func acknowledge(_ token: Transaction.TokenType, by consumer: String) throws

  /// Removes a consumer. Returns false if it was unknown.
  func forget(_ consumer: String) throws -> Bool

  /// The names of all consumers, sorted.
  var consumerNames: [String] { get throws }

  /// Removes transactions. Returns the names of consumers that still need some of them.
  func delete(_ descriptor: HistoryDescriptor<Transaction>) throws -> [String]
}
