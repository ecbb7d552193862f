internal import RoostGraph

extension ModelContext {
  /// What a context has done. Models that came together, as by one fetch, are read together: what is asked of one of them is read for a
  /// thousand. A loop in which ``faultsFilled`` or ``listsLoaded`` grows reads them one by one nevertheless.
  public struct Statistics: Hashable, Sendable {
    /// Rows that were read to fill one model.
    public internal(set) var faultsFilled = 0
    /// Models that were filled by a fetch.
    public internal(set) var modelsFetched = 0
    /// Rows that were read together, because one of several was asked for.
    public internal(set) var faultsFilledTogether = 0
    /// Relationships to many that were loaded for one model.
    public internal(set) var listsLoaded = 0
    /// Those that were loaded together, because that of one of several models was asked for.
    public internal(set) var listsLoadedTogether = 0
    /// How often rows or relationships were read together.
    public internal(set) var coarseReads = 0
    /// Saves that wrote something.
    public internal(set) var saves = 0
  }

  /// How much this context has read and saved since it was made. In a test, compare the counts before and after a call.
  public var statistics: Statistics {
    var all = Statistics()
    for graph in state.open {
      all.faultsFilled += graph.session.statistics.faultsFilled
      all.modelsFetched += graph.session.statistics.objectsFilled
      all.faultsFilledTogether += graph.session.statistics.faultsFilledTogether
      all.listsLoaded += graph.session.statistics.listsLoaded
      all.listsLoadedTogether += graph.session.statistics.listsLoadedTogether
      all.coarseReads += graph.session.statistics.coarseReads
      all.saves += graph.session.statistics.saves
    }
    return all
  }

  /// Whether a loop that reads its models one by one makes the next call throw that can: a ``RoostError`` whose code is `readOneByOne`,
  /// which names the property and says what to do. Off by default; for tests and development. SwiftData has nothing like it.
  ///
  /// Ten such reads of one property are allowed between one fetch, or save, and the next.
  public var isStrict: Bool {
    get { state.isStrict }
    set { state.isStrict = newValue }
  }

  /// Whether what other contexts commit is taken over at the next call, as it is by default; for the main context also in between, on the
  /// main actor. Otherwise this context shows what it showed, until it is saved, rolled back or reset, or this is set again. After ten
  /// thousand commits of others, or ten minutes, it goes on nevertheless, because the file cannot use the space meanwhile.
  public var automaticallyMergesChanges: Bool {
    get { state.mergesChanges }
    set { state.mergesChanges = newValue }
  }

  /// How many predicates' translations its container remembers, for tests.
  package var templateCount: Int { state.stores.templates.count }
}
