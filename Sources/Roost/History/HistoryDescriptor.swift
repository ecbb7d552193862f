public import Foundation

/// Which transactions of the history are meant, and in which order.
public struct HistoryDescriptor<TransactionType>: @unchecked Sendable where TransactionType: HistoryTransaction {
  // Unchecked because key paths are not marked as what they are: values that never change.
  /// The test that transactions must pass; nil for all. It may ask for `token`, `timestamp`, `author`,
  /// `transactionIdentifier` and more.
  public var predicate: Predicate<TransactionType>?
  /// No more than so many; 0 for all.
  public var fetchLimit: UInt64 = 0
  /// Nothing stands for the order in which they were committed.
  public var sortBy: [SortDescriptor<TransactionType>]

  /// Makes a descriptor of all transactions, or of those that pass a predicate.
  @_disfavoredOverload
  public init(predicate: Predicate<TransactionType>? = nil) { self.init(predicate: predicate, sortBy: []) }

  /// Makes a descriptor with an order.
  ///
  /// - Parameters:
  ///   - predicate: the test that transactions must pass; nil for all.
  ///   - sortBy: their order; without it that of their commits, oldest first.
  public init(predicate: Predicate<TransactionType>? = nil, sortBy: [SortDescriptor<TransactionType>] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}
