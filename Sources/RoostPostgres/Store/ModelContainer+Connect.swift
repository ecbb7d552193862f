#if Postgres
  public import Roost

  extension ModelContainer {
    /// Checks that the server of each PostgreSQL store can be reached, and brings its tables to the
    /// form that the models need.
    ///
    /// ```swift
    /// try await container.connect()
    /// ```
    ///
    /// A new container has connected and prepared the tables already. Call this function to check
    /// again, for example before a program reports that it is ready. It waits on its own thread, so
    /// it blocks no thread of tasks. It replaces a lost connection.
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
