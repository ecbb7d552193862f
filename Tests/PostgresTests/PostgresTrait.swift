#if Postgres
  import RoostTestSupport
  import Testing

  extension Trait where Self == ConditionTrait {
    /// The suite needs a PostgreSQL server.
    static var server: ConditionTrait {
      .enabled(if: PostgresServer.missing == nil, "\(PostgresServer.missing ?? "PostgreSQL is there")")
    }

    /// The test needs something that a cluster does not have.
    static func oneServer(_ reason: Comment) -> ConditionTrait {
      .enabled(reason) { try PostgresServer.missing != nil || !Ground().isCluster() }
    }
  }
#endif
