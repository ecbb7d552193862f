#if Postgres
  internal import Foundation
  public import Roost
  internal import RoostGraph
  internal import RoostRecords

  /// What saves changed, of all programs that use the database.
  extension PostgresStore: HistoryProviding {
    /// So many notes are read at once.
    private static var mostNotes: Int { 1000 }

    /// The transactions that a descriptor asks for. Those that began later than one which is still open are left out until that has ended.
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

    /// The last place before all transactions that a descriptor can ask for.
    private static func start(of descriptor: HistoryDescriptor<PostgresHistoryTransaction>) -> ChangePlace {
      let places = descriptor.lowerBounds(\.token).map { token, isIncluded in
        // The notes of one transaction have numbers from 1.
        isIncluded ? ChangePlace(transaction: token.place.transaction, number: 0) : token.place
      }
      return places.max() ?? ChangePlace(transaction: 0, number: 0)
    }

    /// Calls a body with each transaction behind a place, in their order, until it returns false.
    func eachTransaction(
      after start: ChangePlace, _ body: (PostgresHistoryTransaction) throws -> Bool
    ) throws {
      var place = start
      var open: [StoredNote] = []
      func close() throws -> Bool {
        if open.isEmpty { return true }
        defer { open = [] }
        return try body(PostgresHistoryTransaction(open, store: identifier, classes: tables.classes))
      }
      while true {
        let notes = changes.read(try run(changes.reading(after: place, atMost: Self.mostNotes)))
        notesRead += notes.count
        for note in notes {
          if let last = open.last, last.id != note.id, try !close() { return }
          open.append(note)
          place = note.place
        }
        if notes.count < Self.mostNotes { break }
      }
      _ = try close()
    }

    /// Removes the transactions that a descriptor asks for.
    public func deleteHistory(_ descriptor: HistoryDescriptor<PostgresHistoryTransaction>) throws {
      if descriptor.predicate == nil, descriptor.fetchLimit == 0 {
        _ = try run([Statement("DELETE FROM \(changes.name) WHERE xid < pg_snapshot_xmin(pg_current_snapshot())")])
        return
      }
      let found = try fetchHistory(descriptor)
      if found.isEmpty { return }
      _ = try run([
        Statement("DELETE FROM \(changes.name) WHERE id = ANY($1)", [.uuids(found.map(\.identity))])
      ])
    }
  }
#endif
