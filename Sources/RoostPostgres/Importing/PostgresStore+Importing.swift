#if Postgres
  package import Roost
  package import RoostGraph
  internal import RoostRecords

  /// Imports.
  extension PostgresStore: BulkStore {
    /// The most times that a chunk looks for stored rows that it references, or that have its
    /// unique values.
    private static let mostMeetings = 3

    package func identifier(_ type: _ModelType, _ key: BulkKey) -> PersistentIdentifier {
      identifier(type, RowKey(key))
    }

    package func store(_ chunk: BulkChunk) throws -> BulkAnswer {
      try settleUncertain()
      for attempt in 1... {
        var work = BulkWork(self, chunk)
        try work.prepare()
        let copies = work.copies()
        if !work.faults.isEmpty { return .refused(work.refused) }
        do {
          let transaction = try BulkTransaction(&work, copies)
          let answers = try commit(transaction)
          var stored = work.result
          stored.changed = transaction.unset(answers)
          return .stored(stored)
        } catch let error as RoostError
          where [.notUnique, .conflict, .denied].contains(error.code) && attempt < Self.mostMeetings
        {
          // Another program was faster. The next attempt finds its rows.
          continue
        }
      }
      return .refused([])
    }

    private func commit(_ transaction: BulkTransaction) throws -> [Answer] {
      if transaction.isEmpty { return [] }
      return try commit(
        transaction.copies, transaction.statements, zone: transaction.zone, notifier: transaction.client
      ) {
        try settle($0, nil, process: $1, fault: $2)
      } error: { fault, _ in
        transaction.error(fault)
      }
    }
  }
#endif
