/// A history that keeps by name how far its readers came, and what they have not read.
///
/// A consumer is known from its first reading or acknowledgement.
package protocol ConsumedHistory<Transaction> {
  associatedtype Transaction: HistoryTransaction

  /// The place up to which a consumer has acknowledged everything; nil if it is not known.
  func position(of consumer: String) throws -> Transaction.TokenType?

  /// The transactions after a consumer's place, the oldest first.
  ///
  /// - Parameter startsLatest: whether a consumer that is not known begins with what is committed from now on.
  func changes(for consumer: String, atMost limit: Int, startsLatest: Bool) throws -> [Transaction]

  /// Sets a consumer's place. A place before the one that it has changes nothing.
  func acknowledge(_ token: Transaction.TokenType, by consumer: String) throws

  /// Forgets a consumer. False if it was not known.
  func forget(_ consumer: String) throws -> Bool

  /// The names of all consumers, sorted.
  var consumerNames: [String] { get throws }

  /// Removes transactions, and returns the names of consumers that hold some of them back.
  func delete(_ descriptor: HistoryDescriptor<Transaction>) throws -> [String]
}
