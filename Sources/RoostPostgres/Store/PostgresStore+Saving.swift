#if Postgres
  public import Roost
  internal import RoostFile
  internal import RoostGraph
  internal import RoostRecords

  /// Saving.
  extension PostgresStore {
    /// The most attempts at a transaction that the server cannot serialize with others.
    private static let mostAttempts = 6

    /// The most times that a save looks for stored rows with the unique values of its new rows.
    private static let mostMeetings = 3

    /// After this many saves, the store removes old rows of the table of commits, and old history.
    private static let savesPerCleaning = 1000

    /// Writes the changes of a save in one transaction of the server. Contexts call it.
    ///
    /// It tries a transaction up to six times if the server cannot serialize it with others.
    ///
    /// - Throws: `RoostError` with one of these codes:
    ///   - `conflict` if another program changed or deleted a row, or the last attempt failed too.
    ///   - `notUnique` if another row has the same unique value.
    ///   - `denied` if a row references a row that does not exist, or a deleted row is still referenced,
    ///     or if the store shows the old version of the models in a migration.
    ///   - `badValue` if PostgreSQL cannot store a value, a required value or reference is missing,
    ///     or objects of two zones would be related.
    ///   - `foreign` if an object is of another store, `unknownModel` if its class is not one of this
    ///     store, and `closed` if the container is closed.
    ///
    ///   ``PostgresError`` with the code `lost` or `timedOut` if nothing was committed,
    ///   `commitUncertain` if that is unknown, and `unreachable`, `noRights`, `full` or `refused`.
    ///   `CancellationError` if the task is cancelled.
    public func save(
      _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
      try CallInterrupt.check()
      tally.endLoads()
      try checkWrites()
      try settleUncertain()
      done.removeValue(forKey: request.editingState.id)?.noteSaved(isLate: true)
      var attempt = 1
      while true {
        var save = SaveWork(self, request)
        try save.prepare()
        let statements = try save.statements()
        do {
          if !statements.isEmpty { try commit(statements, save) }
        } catch let error as RoostError where error.code == .notUnique && attempt < Self.mostMeetings {
          // Another program was faster with the same unique value: the next attempt finds its row.
          attempt += 1
          continue
        }
        return finish(save)
      }
    }

    private func finish(_ save: SaveWork) -> DataStoreSaveChangesResult<DefaultSnapshot> {
      save.noteSaved()
      for identifier in save.remapped.keys { landed[identifier] = nil }
      // A new object that was merged into a stored row gets the relationships of that row.
      let met = save.rows.filter(\.isMet).map { ($0.content.identifier, DefaultSnapshot($0.content)) }
      return DataStoreSaveChangesResult(
        for: identifier, remappedIdentifiers: save.remapped,
        snapshotsToReregister: Dictionary(met) { first, _ in first })
    }

    /// Commits the statements of a save. The rows of `copies` are sent first.
    func commit(_ statements: [Statement], _ save: SaveWork, copying copies: [Copy] = []) throws {
      let zone = save.rows.first?.key.zone ?? save.deleted.first?.key.zone ?? ""
      _ = try commit(copies, statements, zone: zone, notifier: client) {
        try settle($0, save, process: $1, fault: $2)
      } error: {
        save.error($0, statement: $1)
      }
    }

    /// Commits a transaction, together with a proof of the commit.
    ///
    /// Listeners of the client `notifier` do not need the notification. If the connection was lost,
    /// `settle` finds out whether the transaction was committed.
    ///
    /// - Returns: the answers to the statements; none if `settle` found the commit.
    func commit(
      _ copies: [Copy], _ statements: [Statement], zone: String, notifier: UUIDNumber,
      settle: (CommitProof, Int32, ServerFault) throws -> Bool, error: (ServerFault, Int?) -> any Error
    ) throws -> [Answer] {
      if let stage { return try stage.commit(copies, statements, error: error) }
      var cleaning: [Statement] = []
      var hasOldHistory: Int?
      if savedTimes.isMultiple(of: Self.savesPerCleaning) {
        cleaning.append(CommitProof(zone: zone, id: client).cleaning(in: namespace))
        if let days = configuration.historyDays {
          hasOldHistory = statements.count + cleaning.count
          cleaning.append(changes.existence(ChangeTable.isOlder(than: days)))
        }
      }
      savedTimes += 1
      for attempt in 1... {
        let proof = CommitProof(zone: zone, id: keys.next())
        let all =
          (copies.isEmpty ? [Statement("BEGIN")] : []) + statements + cleaning
          + [proof.statement(in: namespace), Statement("COMMIT")]
          + (configuration.historyDays == nil ? [] : [changes.notification(notifier)])
        let commit = (copies.isEmpty ? 1 : 0) + statements.count + cleaning.count + 1
        var isCopied = copies.isEmpty
        // If there is no connection, nothing is sent.
        let connection: Connection
        do throws(ServerFault) { connection = try connected() } catch { throw error.error() }
        do throws(ServerFault) {
          // All statements use this connection: the transaction belongs to it.
          if !isCopied {
            try connection.run("BEGIN")
            for copy in copies { try connection.copy(copy) }
            isCopied = true
          }
          let answers = Array(try connection.run(all).dropFirst(copies.isEmpty ? 1 : 0))
          if let hasOldHistory, answers[hasOldHistory].isTrue(0, 0) { prune() }
          return answers
        } catch let fault {
          if fault.isLost {
            if isCopied, try settle(proof, connection.process, fault) { return [] }
            var known = fault
            known.code = fault.cut == nil ? .lost : nil
            throw known.error(Self.notCommitted)
          }
          // An error after the commit does not undo it.
          if isCopied, let at = fault.statement, at > commit { return [] }
          connection.rollback()
          if fault.cut != nil { throw fault.error(Self.notCommitted) }
          if fault.isTransient, attempt < Self.mostAttempts {
            Thread.sleep(microseconds: UInt32.random(in: 1000...(4000 << UInt32(attempt))))
            continue
          }
          // Without copies the first statement begins the transaction.
          throw error(fault, fault.statement.map { $0 - (copies.isEmpty ? 1 : 0) })
        }
      }
      return []
    }

    private static let notCommitted = ". Nothing was committed: do it again"

    // MARK: A commit whose answer was lost

    /// Whether a transaction was committed. A cancelled task does not stop the check.
    func settle(
      _ proof: CommitProof, _ save: SaveWork?, process: Int32, fault: ServerFault
    ) throws -> Bool {
      let patience = configuration.patience ?? (fault.cut == nil ? nil : CallLimit.grace)
      let (outcome, fresh) = CallInterrupt.with(nil) {
        proof.outcome(configuration.address, namespace, process: process, patience: patience)
      }
      if let fresh {
        fresh.patience = configuration.patience
        connection = fresh
      }
      switch outcome {
      case .committed: return true
      case .rolledBack: return false
      case .unknown(let why):
        guard let save else {
          throw PostgresError(
            .commitUncertain,
            "\(fault.message). The server cannot be asked whether it committed the last chunk (\(why.message)). Fetch to see which "
              + "of its rows are there, then import the others", state: fault.sqlState)
        }
        uncertain = UncertainSave(proof: proof, save: save, process: process)
        throw PostgresError(
          .commitUncertain,
          "\(fault.message). The server cannot be asked whether it committed the save (\(why.message)). The next save finds it "
            + "out first, and writes nothing twice", state: fault.sqlState)
      }
    }

    /// Forgets the last save of a context that has ended.
    public func invalidateState(for editingState: EditingState) { done[editingState.id] = nil }

    /// Finds out the outcome of an uncertain save. If it was committed, the models that it inserted have their rows.
    ///
    /// Only the context of that save knows the values that it wrote. A save of another context is
    /// based on older values. So the store keeps the earlier versions until the first context saves
    /// again, and the other context gets a conflict.
    func settleUncertain() throws {
      guard let before = uncertain else { return }
      if try settle(
        before.proof, before.save, process: before.process, fault: ServerFault("an earlier save was not answered"))
      {
        before.save.noteInserted()
        landed.merge(before.save.remapped) { $1 }
        done[before.save.request.editingState.id] = before.save
      }
      uncertain = nil
    }
  }

  /// A save that the server may have committed.
  struct UncertainSave {
    let proof: CommitProof
    let save: SaveWork
    let process: Int32
  }
#endif
