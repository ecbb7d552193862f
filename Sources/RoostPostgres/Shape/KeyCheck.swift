#if Postgres
  /// Checks the foreign keys of all rows that a transaction has written so far. The server changes no table while such checks wait.
  ///
  /// Citus does not pass `SET CONSTRAINTS` on to its workers. There a function runs it, in a condition that names no column: the query of
  /// each shard evaluates it once, also if there are no rows. All tables have their shards where those of the commits are.
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

    /// Makes the functions that the statements call. A condition is evaluated once only if its function is stable, and a stable function may
    /// not set constraints itself.
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
          + "AS $roost$ BEGIN \(body) RETURN true; END $roost$")
    }
  }
#endif
