package import RoostFile
package import RoostPages
internal import RoostTrees

/// The result of a compaction step.
public struct Compaction: Sendable {
  /// Pages that were moved, including the pages above them that had to be copied.
  public package(set) var movedPages = 0
  /// Pages in the file before the step.
  public package(set) var pagesBefore = 0
  /// Pages in the file after the step.
  public package(set) var pages = 0
  /// Pages in the file that are free after the step.
  public package(set) var freePages = 0
  /// Whether another step would gain nothing now: the file is compact, or a reader holds an old snapshot.
  public package(set) var isDone = false
}

extension Store {
  /// Moves pages from the end of the file to free places, and cuts the file. This is one step: a
  /// short write transaction and a checkpoint.
  ///
  /// - Parameter budget: the approximate number of pages to move.
  package func compact(pages budget: Int) throws(StoreError) -> Compaction {
    // Pages that wait for a checkpoint are free after it.
    try checkpoint()
    var result = Compaction()
    result.pagesBefore = try statistics().pageCount
    let transaction = try beginWrite()
    var isGain = false
    do throws(StoreError) {
      let forest = Forest(in: transaction)
      if var job = transaction.relocation(budget: budget) {
        try forest.relocate(&job)
        result.movedPages = job.moved
        isGain = job.moved > 0
      }
      if !isGain { isGain = transaction.cutTail() }
      // The record is empty: a replay moves nothing, which is just as good.
      if isGain { try transaction.commit(forest.seal(), durability: .relaxed) } else { transaction.abandon() }
    } catch {
      transaction.abandon()
      throw error
    }
    if isGain { try checkpoint() }
    let figures = try statistics()
    result.pages = figures.pageCount
    result.freePages = figures.freePages
    result.isDone = !isGain || result.pages >= result.pagesBefore
    return result
  }
}
