#if Postgres
  internal import RoostFile
  internal import RoostRecords

  /// Finds out whether the server committed a transaction after its answer was lost.
  ///
  /// A transaction that saves inserts a row with a fresh identifier into the table `roost_commit`,
  /// right before its `COMMIT`. After the connection was lost, another connection inserts a row
  /// with the same identifier. The unique index decides:
  ///
  /// 1. The lost transaction was committed: its row is there, and the second insertion does nothing.
  /// 2. The lost transaction inserted its row and runs on. The second insertion waits for its end, then is case 1 or 3.
  /// 3. The lost transaction has no row. The second insertion is committed. If the first server
  ///    process still has the statements in a buffer and runs them later, its insertion fails, and
  ///    it rolls back. So nothing of it can be committed later.
  ///
  /// So no process of the server must be found or ended first, and the proof also works through a
  /// connection pooler. A process is ended only if case 2 lasts longer than ``patience``: a server
  /// that does not notice a lost client waits for its next statement. The column `done`
  /// distinguishes the row of a save from that of a second insertion, whose answer may be lost too.
  ///
  /// On Citus the table is distributed like the models' tables, and the row is in a zone that the
  /// save writes. A save of one zone is a plain transaction of one worker, which has the row too:
  /// Citus commits it there before the coordinator's part. With a local table the coordinator could
  /// end between the two, and the row would be missing although the worker committed. A save of
  /// several workers is committed in two phases. A prepared transaction is case 2 until the
  /// coordinator, or its maintenance daemon, ends it. Until then the outcome is unknown, but never
  /// wrong.
  struct CommitProof {
    /// A zone that the transaction writes.
    let zone: String
    let id: UUIDNumber

    private static let name = OwnTable.commits
    /// The longest wait for the end of a lost transaction.
    private static let patience = "5s"
    private static let mostAttempts = 4
    /// The least limit for an answer. It must be longer than the wait for a lost transaction.
    private static let leastPatience = Duration.seconds(10)

    /// The statement of the transaction itself.
    func statement(in namespace: SQLName) -> Statement {
      Statement(
        "INSERT INTO \(namespace).\(Self.name) (zone, id, done) VALUES ($1, $2, true)", [.text(zone), .uuid(id)])
    }

    /// Removes rows that are older than a day, which no program asks for any more. It removes rows
    /// of one zone, to write to only one worker.
    func cleaning(in namespace: SQLName) -> Statement {
      Statement(
        "DELETE FROM \(namespace).\(Self.name) WHERE zone = $1 AND id IN (SELECT id FROM \(namespace).\(Self.name) "
          + "WHERE zone = $1 AND time < now() - interval '1 day' LIMIT 10000 FOR UPDATE SKIP LOCKED)", [.text(zone)])
    }

    enum Outcome {
      case committed
      /// Nothing was committed, and nothing can be committed later.
      case rolledBack
      case unknown(ServerFault)
    }

    /// Asks with new connections. Returns the outcome, and the connection that was answered.
    ///
    /// `process` is the number of the server process that had the transaction. `limit` is how long
    /// a connection may take; nil is forever.
    func outcome(
      _ address: ServerAddress, _ namespace: SQLName, process: Int32, patience limit: Duration?
    ) -> (Outcome, Connection?) {
      var last = ServerFault("the server cannot be asked", isLost: true)
      for attempt in 1...Self.mostAttempts {
        do throws(ServerFault) {
          let connection = try Connection.open(address, patience: limit)
          connection.patience = limit.map { max($0, Self.leastPatience) }
          do throws(ServerFault) {
            return (try ask(connection, namespace) ? .committed : .rolledBack, connection)
          } catch {
            connection.rollback()
            // The lost transaction did not end in time.
            guard error.state == "55P03" else { throw error }
            try end(process, connection)
            return (try ask(connection, namespace) ? .committed : .rolledBack, connection)
          }
        } catch { last = error }
        // If one call timed out, the next would too.
        if last.cut != nil { break }
        if attempt < Self.mostAttempts { Thread.sleep(microseconds: UInt32(20_000 << attempt)) }
      }
      return (.unknown(last), nil)
    }

    /// Inserts the row. Returns whether the lost transaction had inserted it.
    private func ask(_ connection: Connection, _ namespace: SQLName) throws(ServerFault) -> Bool {
      let answers = try connection.run([
        Statement("BEGIN ISOLATION LEVEL READ COMMITTED"),
        Statement("SELECT set_config('lock_timeout', $1, true)", [.text(Self.patience)]),
        Statement(
          "INSERT INTO \(namespace).\(Self.name) (zone, id, done) VALUES ($1, $2, false) ON CONFLICT DO NOTHING",
          [.text(zone), .uuid(id)]),
        Statement("SELECT done FROM \(namespace).\(Self.name) WHERE zone = $1 AND id = $2", [.text(zone), .uuid(id)]),
        Statement("COMMIT"),
      ])
      return answers[3].count > 0 && answers[3].isTrue(0, 0)
    }

    /// Ends the server process of the lost transaction. A process that began after this connection
    /// is another one with the same number, so it is not ended.
    private func end(_ process: Int32, _ connection: Connection) throws(ServerFault) {
      try connection.run(
        Statement(
          """
          SELECT pg_catalog.pg_terminate_backend(a.pid, 5000) FROM pg_catalog.pg_stat_activity AS a \
          JOIN pg_catalog.pg_stat_activity AS me ON me.pid = pg_catalog.pg_backend_pid() \
          WHERE a.pid = $1 AND a.backend_start < me.backend_start
          """, [.integer(process)]))
    }
  }
#endif
