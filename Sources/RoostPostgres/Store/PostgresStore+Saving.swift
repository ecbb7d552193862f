#if Postgres
  public import Roost
  internal import RoostFile
  internal import RoostGraph
  internal import RoostRecords

  /// Saving.
  extension PostgresStore {
    /// How many times a transaction is tried that the server could not put in order with others.
    private static let mostAttempts = 6

    public func save(
      _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
      var save = SaveWork(self, request)
      try save.prepare()
      let statements = try save.statements()
      if !statements.isEmpty { try commit(statements, save) }
      save.noteSaved()
      return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: save.remapped)
    }

    private func commit(_ statements: [Statement], _ save: SaveWork) throws {
      let all =
        [Statement("BEGIN")] + statements + [Statement("COMMIT")]
        + (configuration.historyDays == nil ? [] : [changes.notification(client)])
      for attempt in 1... {
        do throws(ServerFault) {
          _ = try ask(all)
          return
        } catch {
          connection.rollback()
          if error.isTransient, attempt < Self.mostAttempts {
            Thread.sleep(microseconds: UInt32.random(in: 1000...(4000 << UInt32(attempt))))
            continue
          }
          throw save.error(error, statement: error.statement.map { $0 - 1 })
        }
      }
    }
  }
#endif
