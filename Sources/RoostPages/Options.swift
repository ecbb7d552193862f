import RoostFile

#if DEBUG
  /// A write that a store omits on purpose, so that tests can be tested. Release builds have no
  /// such option.
  package enum Omission: String, CaseIterable, Sendable {
    case nothing
    /// A changed row keeps its old entries in indexes.
    case indexChange
    /// A link is written only for its owner's side.
    case linkBack
    /// Replay of the log writes no history.
    case replayedHistory
    /// The superblock lists copies of pages that are not written.
    case pageCopy
    /// Copies of pages are those of an earlier state.
    case newPageCopy
  }
#endif

/// What an opening does with a log whose store's file is missing.
package enum MissingStore: Sendable {
  /// The opening fails with `storeMissing`.
  case refuse
  /// The log is renamed, and a new store begins.
  case begin
}

/// The options of an opening.
package struct StoreOptions: Sendable {
  package enum Checkpointing: Sendable {
    /// On a thread of its own, concurrently with writers and readers.
    case background
    /// On the thread of the commit that requested it; for tests that need a fixed order of events.
    case inline
    /// Only on request.
    case manual
  }

  package var createIfMissing = true
  package var readOnly = false
  /// How long an opening for writing waits for the lock of another process.
  package var lockTimeoutNanoseconds: UInt64 = 0
  /// The size of the page cache; nil for a share of the machine's memory: see ``CacheSize``.
  package var cacheBytes: Int?
  /// The bytes of unwritten pages that start a checkpoint; at twice as many the writer waits. Nil
  /// for the default of the cache size: see ``CacheSize``.
  package var draftBytes: Int?
  /// The bytes of log that start a checkpoint.
  package var logBytes = 64 << 20
  /// A checkpoint also starts if replaying the log would take longer than this, by an estimate.
  /// Readers without the lock replay it at every opening.
  package var replayNanoseconds: UInt64 = 80_000_000
  /// The shortest time between two checkpoints for that reason. While much is written, readers wait
  /// instead.
  package var replayPauseNanoseconds: UInt64 = 2_000_000_000
  package var segmentBytes = 1 << 20
  package var checkpointing = Checkpointing.background
  /// The most entries of a tree's node; tests reduce it to get deep trees.
  package var fanoutLimit = Int.max
  /// The approximate number of pages that a close moves in one step, if much of the file is free. 0
  /// moves none: tests of salvage need older pages in free places.
  package var closingStep = 2048
  /// The most pages of the file.
  package var mostPages = UInt32.max - 1
  #if DEBUG
    /// Pages are not compared with their checksums. Tests of damage are tested with such a broken
    /// store.
    package var skipsChecks = false
    /// The write that the store omits. Tests of rows are tested with such a broken store.
    package var omission = Omission.nothing
  #endif
  /// Makes random numbers; tests make them deterministic.
  package var random: @Sendable () -> UInt64 = { UInt64.random(in: 1...UInt64.max) }
  package var missingStore = MissingStore.refuse
  /// Lets tests force an order of events: see ``SchedulePoint``.
  package var schedule: Schedule?

  /// Tells the user what no call returns; by default on standard error.
  package var say: @Sendable (String) -> Void = { StandardError.say($0) }

  package init() {}
}
