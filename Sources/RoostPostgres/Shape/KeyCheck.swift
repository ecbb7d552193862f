#if Postgres
  /// Checks the foreign keys of all rows that a transaction has written so far. The server changes
  /// no table while such checks are pending.
  /// Citus does not pass `SET CONSTRAINTS` on to its workers. There a query of `roost_commit` calls
  /// a function in its `WHERE` clause. The clause names no column, so each shard evaluates it once,
  /// even if it has no rows. All tables are colocated with `roost_commit`, so this reaches every
  /// worker.
  struct KeyCheck {
    private let namespace: SQLName
    private let isDistributed: Bool

    init(_ namespace: SQLName, isDistributed: Bool) {
      (self.namespace, self.isDistributed) = (namespace, isDistributed)
    }

    private static let check = SQLName(exactly: "roost_check")
    private static let checkNow = SQLName(exactly: "roost_check_now")

    var statements: [Statement] {
      let own = Statement("SET CONSTRAINTS ALL IMMEDIATE")
      if !isDistributed { return [own] }
      return [
        own, Statement("SELECT count(*) FROM \(namespace).\(OwnTable.commits) WHERE \(namespace).\(Self.check)()"),
      ]
    }

    /// Makes the functions that the statements call. The server evaluates a condition once if its
    /// function is `STABLE`. A `STABLE` function must not set constraints, so it calls a `VOLATILE`
    /// one. The result is false, so that no row is read.
    var preparation: [Statement] {
      if !isDistributed { return [] }
      return [
        function(Self.checkNow, "VOLATILE", doing: "SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED;"),
        function(Self.check, "STABLE", doing: "PERFORM \(namespace).\(Self.checkNow)();"),
      ]
    }

    private func function(_ name: SQLName, _ kind: String, doing body: String) -> Statement {
      Statement(
        "CREATE OR REPLACE FUNCTION \(namespace).\(name)() RETURNS boolean LANGUAGE plpgsql \(kind) "
          + "AS $roost$ BEGIN \(body) RETURN false; END $roost$")
    }
  }
#endif
