public import Foundation

/// Which transactions of the history are meant, and in which order.
public struct HistoryDescriptor<TransactionType>: @unchecked Sendable where TransactionType: HistoryTransaction {
  // Unchecked because key paths are not marked as what they are: values that never change.
  public var predicate: Predicate<TransactionType>?
  /// No more than so many; 0 for all.
  public var fetchLimit: UInt64 = 0
  /// Nothing stands for the order in which they were committed.
  public var sortBy: [SortDescriptor<TransactionType>]

  @_disfavoredOverload
  public init(predicate: Predicate<TransactionType>? = nil) { self.init(predicate: predicate, sortBy: []) }

  public init(predicate: Predicate<TransactionType>? = nil, sortBy: [SortDescriptor<TransactionType>] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}
