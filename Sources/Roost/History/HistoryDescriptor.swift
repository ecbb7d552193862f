public import Foundation

/// Which transactions of the history are meant, and in which order.
public struct HistoryDescriptor<TX>: @unchecked Sendable where TX: HistoryTransaction {
  // Unchecked because key paths are not marked as what they are: values that never change.
  public var predicate: Predicate<TX>?
  /// No more than so many; 0 for all.
  public var fetchLimit: UInt64 = 0
  /// Nothing stands for the order in which they were committed.
  public var sortBy: [SortDescriptor<TX>]

  public init(predicate: Predicate<TX>? = nil, sortBy: [SortDescriptor<TX>] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}
