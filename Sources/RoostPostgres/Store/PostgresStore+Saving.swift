#if Postgres
  public import Roost
  internal import RoostFile
  internal import RoostGraph
  internal import RoostRecords

  /// Saving.
  extension PostgresStore {
    /// How many times a transaction is tried that the server could not put in order with others.
    private static let mostAttempts = 6

    /// How many times a save looks for the rows that have the unique values of its new ones.
    private static let mostMeetings = 3

    /// After so many saves old rows of the table of commits are removed.
    private static let savesPerCleaning = 1000

    public func save(
      _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
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
      return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: save.remapped)
    }

    func commit(_ statements: [Statement], _ save: SaveWork) throws {
      var cleaning: [Statement] = []
      let zone = save.rows.first?.key.zone ?? save.deleted.first?.key.zone ?? ""
      if savedTimes.isMultiple(of: Self.savesPerCleaning) {
        cleaning.append(CommitProof(zone: zone, id: client).cleaning(in: namespace))
        if let days = configuration.historyDays { cleaning.append(changes.pruning(days: days)) }
      }
      savedTimes += 1
      for attempt in 1... {
        let proof = CommitProof(zone: zone, id: keys.next())
        let all =
          [Statement("BEGIN")] + statements + cleaning + [proof.statement(in: namespace), Statement("COMMIT")]
          + (configuration.historyDays == nil ? [] : [changes.notification(client)])
        // If there is no connection, nothing is sent.
        do throws(ServerFault) { try connect() } catch { throw PostgresError(error) }
        do throws(ServerFault) {
          _ = try ask(all)
          return
        } catch {
          if error.isLost {
            if try settle(proof, save, process: connection.process, fault: error) { return }
            throw PostgresError(
              .lost, "\(error.message). Nothing of the save was committed: save again", state: error.sqlState)
          }
          // What comes after the commit does not undo it.
          if let at = error.statement, at > statements.count + cleaning.count + 2 { return }
          connection.rollback()
          if error.isTransient, attempt < Self.mostAttempts {
            Thread.sleep(microseconds: UInt32.random(in: 1000...(4000 << UInt32(attempt))))
            continue
          }
          throw save.error(error, statement: error.statement.map { $0 - 1 })
        }
      }
    }

    // MARK: A commit whose answer was lost

    /// Whether the transaction of a save was committed.
    private func settle(
      _ proof: CommitProof, _ save: SaveWork, process: Int32, fault: ServerFault
    ) throws -> Bool {
      let (outcome, fresh) = proof.outcome(configuration.address.text, namespace, process: process)
      if let fresh { connection = fresh }
      switch outcome {
      case .committed: return true
      case .rolledBack: return false
      case .unknown(let why):
        uncertain = UncertainSave(proof: proof, save: save, process: process)
        throw PostgresError(
          .commitUncertain,
          "\(fault.message). The server cannot be asked whether it committed the save (\(why.message)). The next save finds it "
            + "out first, and writes nothing twice", state: fault.sqlState)
      }
    }

    public func invalidateState(for editingState: EditingState) { done[editingState.id] = nil }

    /// Finds out the outcome of an uncertain save. If it was committed, the models that it inserted have their rows.
    ///
    /// Only the context of that save has the values that it wrote. A save of another context is based on older ones, so the store keeps
    /// the versions before it until its own context saves again. The other one meets a conflict.
    private func settleUncertain() throws {
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
