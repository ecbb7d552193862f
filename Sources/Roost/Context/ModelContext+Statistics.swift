internal import RoostGraph

extension ModelContext {
  /// Counts of a context's work. Models that one fetch returned are loaded together: a read of one
  /// of them loads up to a thousand. A loop that makes ``faultsFilled`` or ``listsLoaded`` grow
  /// reads its models one by one nevertheless.
  public struct Statistics: Hashable, Sendable {
    /// Rows that were read to load one model.
    public internal(set) var faultsFilled = 0
    /// Models that a fetch loaded.
    public internal(set) var modelsFetched = 0
    /// Rows that were read together because one model of a batch was read.
    public internal(set) var faultsFilledTogether = 0
    /// To-many relationships that were loaded for one model.
    public internal(set) var listsLoaded = 0
    /// To-many relationships that were loaded together because one model of a batch was read.
    public internal(set) var listsLoadedTogether = 0
    /// Reads that loaded rows or relationships of a batch together.
    public internal(set) var coarseReads = 0
    /// Saves that wrote something.
    public internal(set) var saves = 0
  }

  /// The counts since this context was made. In a test, compare the counts before and after a call.
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

  /// Whether a loop that reads its models one by one makes the next throwing call throw a
  /// ``RoostError`` with the code `readOneByOne`, which names the property and the remedy. Off by
  /// default; for tests and development. SwiftData has nothing like it.
  ///
  /// Ten such reads of one property are allowed between two fetches or saves.
  public var isStrict: Bool {
    get { state.isStrict }
    set { state.isStrict = newValue }
  }

  /// Whether this context takes over commits of other contexts at its next call; true by default.
  /// The main context also takes them over between calls, on the main actor. If false, this context
  /// shows one state until it is saved, rolled back or reset, or until this is true again. After
  /// ten thousand commits of other contexts, or ten minutes, it moves on nevertheless, because the
  /// file cannot reuse the space meanwhile.
  public var automaticallyMergesChanges: Bool {
    get { state.mergesChanges }
    set { state.mergesChanges = newValue }
  }

  /// How many predicates have a translation that the container remembers, for tests.
  package var templateCount: Int { state.stores.templates.count }
}
