#if Postgres
  /// The tables of a store that contain no objects.
  enum OwnTable {
    /// One row: the store's identifier, and the shape of its tables.
    static let shape = SQLName(exactly: "roost_store")
    /// A row for each save of the last day: see ``CommitProof``.
    static let commits = SQLName(exactly: "roost_commit")
    /// The changes of each save: see ``ChangeTable``.
    static let changes = SQLName(exactly: "roost_change")
    /// A row for each file that was pushed: see ``MoveMark``.
    static let moves = SQLName(exactly: "roost_move")
    /// The place of each consumer of the history: see ``ConsumerTable``.
    static let consumers = SQLName(exactly: "roost_consumer")
    static let all: Set<SQLName> = [shape, commits, changes, moves, consumers]
  }
#endif
