import RoostFile

#if DEBUG
  /// A write that a store leaves out on purpose, so that the tests can be tested. Release builds have no such switch.
  package enum Omission: String, CaseIterable, Sendable {
    case nothing
    /// A row that changes keeps its old entries in indexes.
    case indexChange
    /// A link is written on its owner's side alone.
    case linkBack
    /// Replay of the log writes no history.
    case replayedHistory
    /// The superblock lists copies of pages that are not written.
    case pageCopy
    /// Copies of pages are those of an earlier state.
    case newPageCopy
  }
#endif

/// What becomes of a log whose store's file is not there.
package enum MissingStore: Sendable {
  /// The opening fails with `storeMissing`.
  case refuse
  /// The log is put aside, and a new store begins.
  case begin
}

/// How a store is opened.
package struct StoreOptions: Sendable {
  package enum Checkpointing: Sendable {
    /// On a thread of its own, beside writers and readers.
    case background
    /// On the thread whose commit asked for it; for tests that need one order of events.
    case inline
    /// Only when asked.
    case manual
  }

  package var createIfMissing = true
  package var readOnly = false
  /// How long an opening for writing tries to get the lock that another process has.
  package var lockTimeoutNanoseconds: UInt64 = 0
  /// Bytes of memory for pages; nil for a share of the machine's: see ``CacheSize``.
  package var cacheBytes: Int?
  /// Bytes of unwritten pages that start a checkpoint; at twice as many the writer waits. Nil for as many as go with the cache: see ``CacheSize``.
  package var draftBytes: Int?
  /// Bytes of log that start a checkpoint.
  package var logBytes = 64 << 20
  /// A checkpoint is due as well where replaying the log would take longer than this, by an estimate: readers without the lock do
  /// it at every opening.
  package var replayNanoseconds: UInt64 = 80_000_000
  /// So long after the last checkpoint at the soonest: while much is written, a reader waits instead.
  package var replayPauseNanoseconds: UInt64 = 2_000_000_000
  package var segmentBytes = 1 << 20
  package var checkpointing = Checkpointing.background
  /// The most entries a tree's node takes; tests make it small, so that trees are deep.
  package var fanoutLimit = Int.max
  /// About how many pages a close moves in one step, where much of the file is free. 0: it moves none. Tests of salvage need older pages in
  /// free places.
  package var closingStep = 2048
  /// The most pages the file may have.
  package var mostPages = UInt32.max - 1
  #if DEBUG
    /// Pages are not compared with their checksums: a broken store, with which the tests of damage are tested.
    package var skipsChecks = false
    /// The write that the store leaves out: a broken store, with which the tests of rows are tested.
    package var omission = Omission.nothing
  #endif
  /// Makes random numbers; tests make them repeat.
  package var random: @Sendable () -> UInt64 = { UInt64.random(in: 1...UInt64.max) }
  package var missingStore = MissingStore.refuse
  /// Lets tests force an order of events: see ``SchedulePoint``.
  package var schedule: Schedule?

  /// Says to the user what no call returns: on standard error.
  package var say: @Sendable (String) -> Void = { StandardError.say($0) }

  package init() {}
}
