#if Postgres
  internal import Foundation
  public import Roost
  internal import RoostGraph
  internal import RoostRecords

  /// The history of the saves of all programs that use the database.
  extension PostgresStore: HistoryProviding {
    /// The most notes in one read.
    private static var mostNotes: Int { 1000 }

    /// The transactions that match a descriptor. A transaction that began after one that is still
    /// open is left out until the earlier one has ended.
    ///
    /// - Throws: the error of the predicate. ``PostgresError`` if the server cannot be reached or
    ///   refuses, and `RoostError` with the code `closed` if the container is closed.
    public func fetchHistory(
      _ descriptor: HistoryDescriptor<PostgresHistoryTransaction>
    ) throws -> [PostgresHistoryTransaction] {
      let limit = descriptor.fetchLimit == 0 ? Int.max : Int(clamping: descriptor.fetchLimit)
      var found: [PostgresHistoryTransaction] = []
      try eachTransaction(after: Self.start(of: descriptor)) { transaction in
        if try descriptor.predicate?.evaluate(transaction) != false { found.append(transaction) }
        return !descriptor.sortBy.isEmpty || found.count < limit
      }
      if !descriptor.sortBy.isEmpty { found = Array(found.sorted(using: descriptor.sortBy).prefix(limit)) }
      return found
    }

    /// The last place before all transactions that can match a descriptor.
    private static func start(of descriptor: HistoryDescriptor<PostgresHistoryTransaction>) -> ChangePlace {
      let places = descriptor.lowerBounds(\.token).map { token, isIncluded in
        // The notes of one transaction have numbers from 1.
        isIncluded ? ChangePlace(transaction: token.place.transaction, number: 0) : token.place
      }
      return places.max() ?? ChangePlace(transaction: 0, number: 0)
    }

    /// Calls a body with each transaction after a place, in their order, until it returns false.
    /// Each read returns at most `most` notes.
    func eachTransaction(
      after start: ChangePlace, notesAtOnce most: Int = PostgresStore.mostNotes,
      _ body: (PostgresHistoryTransaction) throws -> Bool
    ) throws {
      var place = start
      var open: [StoredNote] = []
      func close() throws -> Bool {
        if open.isEmpty { return true }
        defer { open = [] }
        return try body(PostgresHistoryTransaction(open, store: identifier, classes: tables.classes))
      }
      while true {
        let notes = changes.read(try run(changes.reading(after: place, atMost: most)))
        notesRead += notes.count
        for note in notes {
          if let last = open.last, last.id != note.id, try !close() { return }
          open.append(note)
          place = note.place
        }
        if notes.count < most { break }
      }
      _ = try close()
    }

    /// Removes the transactions that match a descriptor, except those that a consumer has not read.
    ///
    /// - Throws: `RoostError` with the code `historyOff` if the configuration keeps no history, and
    ///   `closed` if the container is closed. ``PostgresError`` if the server cannot be reached or
    ///   refuses. The error of the predicate. `CancellationError` if the task is cancelled.
    public func deleteHistory(_ descriptor: HistoryDescriptor<PostgresHistoryTransaction>) throws {
      _ = try delete(descriptor)
    }

    package func delete(_ descriptor: HistoryDescriptor<PostgresHistoryTransaction>) throws -> [String] {
      try checkHistory()
      if descriptor.predicate == nil, descriptor.fetchLimit == 0 { return try removeNotes(ChangeTable.isAny) }
      let found = try fetchHistory(descriptor)
      if found.isEmpty { return [] }
      return try removeNotes(ChangeTable.isOne(of: found.map(\.identity)))
    }
  }
#endif
