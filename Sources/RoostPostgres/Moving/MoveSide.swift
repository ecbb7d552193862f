#if Postgres
  internal import Roost

  /// One side of a move: a file or a database. It reads from one snapshot.
  protocol MoveSide: AnyObject {
    /// The objects of a table after a given one, in the order of the side's keys.
    func page(_ table: Int, after last: PersistentIdentifier?, count: Int) throws -> [SnapshotContent]
    func load(_ identifiers: [PersistentIdentifier]) throws -> [SnapshotContent]
    /// Continues with a new snapshot.
    func renew() throws
  }

  /// The side that a move writes. Its functions take the source's identifiers.
  protocol MoveTarget: MoveSide {
    /// Those of some objects that exist here.
    func present(_ identifiers: [PersistentIdentifier]) throws -> Set<PersistentIdentifier>
    /// Writes new objects with their values and references, in one transaction.
    func insert(_ contents: [SnapshotContent]) throws
    /// Gives existing objects their lists, in order. `late` returns the properties of an object
    /// whose references may not be written yet.
    func connect(_ contents: [SnapshotContent], late: (SnapshotContent) -> [Int]) throws
  }
#endif
