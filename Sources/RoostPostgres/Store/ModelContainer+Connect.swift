#if Postgres
  public import Roost

  extension ModelContainer {
    /// Asks each PostgreSQL store of the container whether its server can be reached, and whether the tables are as the models want.
    ///
    /// ```swift
    /// try await container.connect()
    /// ```
    ///
    /// Making a container connects and prepares the tables already. This function asks again, for example before a program says that it is
    /// ready. It waits on a thread of its own, so it blocks no thread of tasks. A connection that was lost is made again.
    ///
    /// For other stores it does nothing.
    ///
    /// - Throws: the error of the first store that fails: ``PostgresError`` if the server cannot be
    ///   reached or another program changed the tables, and `RoostError` with the code `closed` if
    ///   the container is closed. `CancellationError` if the task is cancelled.
    public func connect() async throws {
      try await waiting(for: PostgresStore.self) { try $0.check() }
    }
  }
#endif
