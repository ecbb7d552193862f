internal import RoostGraph

extension ModelContext {
  /// What a context has done. A loop in which ``faultsFilled`` grows reads models one by one.
  public struct Statistics: Hashable, Sendable {
    /// Rows that were read to fill one model.
    public internal(set) var faultsFilled = 0
    /// Models that were filled by a fetch.
    public internal(set) var modelsFetched = 0
    public internal(set) var saves = 0
  }

  public var statistics: Statistics {
    var all = Statistics()
    for graph in state.open {
      all.faultsFilled += graph.statistics.faultsFilled
      all.modelsFetched += graph.statistics.objectsFilled
      all.saves += graph.statistics.saves
    }
    return all
  }
}
