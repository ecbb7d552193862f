public import Foundation

/// Describes a fetch of history: which transactions, and in which order.
public struct HistoryDescriptor<TransactionType>: @unchecked Sendable where TransactionType: HistoryTransaction {
  // Unchecked because key paths are not marked `Sendable`, although they never change.
  /// The condition of the transactions; nil for all. It may use `token`, `timestamp`, `author`,
  /// `transactionIdentifier` and more.
  public var predicate: Predicate<TransactionType>?
  /// The largest number of transactions; 0 for all.
  public var fetchLimit: UInt64 = 0
  /// The order. Empty means the order of the commits, oldest first.
  public var sortBy: [SortDescriptor<TransactionType>]

  /// Makes a descriptor of all transactions, or of those that fulfil a predicate.
  @_disfavoredOverload
  public init(predicate: Predicate<TransactionType>? = nil) { self.init(predicate: predicate, sortBy: []) }

  /// Makes a descriptor with an order.
  ///
  /// - Parameters:
  ///   - predicate: the condition of the transactions; nil for all.
  ///   - sortBy: the order; without it the order of the commits, oldest first.
  public init(predicate: Predicate<TransactionType>? = nil, sortBy: [SortDescriptor<TransactionType>] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}
