public import RoostFile
import RoostPages
import RoostTrees

/// What a step of compaction has done.
public struct Compaction: Sendable {
  /// Pages that were moved, and those above them that had to be copied with them.
  public internal(set) var movedPages = 0
  /// Pages in the file before and after the step.
  public internal(set) var pagesBefore = 0
  public internal(set) var pages = 0
  public internal(set) var freePages = 0
  /// Nothing more can be gained now: the file is compact, or somebody reads an old snapshot.
  public internal(set) var isDone = false
}

/// Giving free room back to the file system.
extension KeyValueStore {
  /// Moves pages from the end of the file to free places, and cuts the file; one step of it, beside normal work.
  ///
  /// ```swift
  /// while try !store.compact().isDone {}
  /// ```
  /// A step is a short write transaction and a checkpoint. It never makes the file longer.
  ///
  /// - Parameter budget: about how many pages to move.
  @discardableResult
  public func compact(pages budget: Int = 1024) throws(StoreError) -> Compaction {
    // What waits for a checkpoint is free afterwards.
    try store.checkpoint()
    var result = Compaction()
    result.pagesBefore = try store.statistics().pageCount
    let transaction = try store.beginWrite()
    var isGain = false
    do throws(StoreError) {
      let forest = Forest(in: transaction)
      if var job = transaction.relocation(budget: budget) {
        try forest.relocate(&job)
        result.movedPages = job.moved
        isGain = job.moved > 0
      }
      if !isGain { isGain = transaction.cutTail() }
      // The record is empty: a replay leaves everything where it was, which is as good.
      if isGain { try transaction.commit(forest.seal(), durability: .relaxed) } else { transaction.abandon() }
    } catch {
      transaction.abandon()
      throw error
    }
    if isGain { try store.checkpoint() }
    let figures = try store.statistics()
    result.pages = figures.pageCount
    result.freePages = figures.freePages
    result.isDone = !isGain || result.pages >= result.pagesBefore
    return result
  }
}
