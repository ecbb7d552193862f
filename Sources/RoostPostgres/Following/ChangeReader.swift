#if Postgres
  internal import Roost
  internal import RoostRecords

  /// Reads the saves of other containers.
  struct ChangeReader: Sendable {
    private let changes: ChangeTable
    private let client: UUIDNumber

    /// The most notes in one read.
    private static let mostNotes = 200

    init(_ changes: ChangeTable, client: UUIDNumber) { (self.changes, self.client) = (changes, client) }

    /// Calls a body with the notes after a place. Returns the place of the last note.
    func read(
      _ connection: Connection, from start: ChangePlace, _ body: ([ChangeNote]) throws -> Void
    ) throws -> ChangePlace {
      var place = start
      while true {
        let notes = changes.read(try connection.run(changes.reading(after: place, atMost: Self.mostNotes)))
        let others = notes.filter { $0.client != client }.map(\.note)
        if !others.isEmpty { try body(others) }
        if let last = notes.last { place = last.place }
        if notes.count < Self.mostNotes { return place }
      }
    }
  }
#endif
