#if Postgres
  import RoostTestSupport
  import Testing

  extension Trait where Self == ConditionTrait {
    /// The suite needs a PostgreSQL server.
    static var server: ConditionTrait {
      .enabled(if: PostgresServer.missing == nil, "\(PostgresServer.missing ?? "PostgreSQL is there")")
    }
  }
#endif
