#if Postgres
  internal import Roost

  /// One side of a move: a file, or a database. All reading is of one snapshot.
  protocol MoveSide: AnyObject {
    /// The objects of a table that follow another one in the order of the side's keys.
    func page(_ table: Int, after last: PersistentIdentifier?, count: Int) throws -> [SnapshotContent]
    func load(_ identifiers: [PersistentIdentifier]) throws -> [SnapshotContent]
    /// Reads what was committed until now from here on.
    func renew() throws
  }

  /// The side that is filled. Identifiers are those of the source.
  protocol MoveTarget: MoveSide {
    /// Those of some objects that are here.
    func present(_ identifiers: [PersistentIdentifier]) throws -> Set<PersistentIdentifier>
    /// Writes new objects with their values and references, in one transaction.
    func insert(_ contents: [SnapshotContent]) throws
    /// Gives objects that are here their lists, in order.
    ///
    /// - Parameter late: the references of a class that may not be here yet, by property.
    func connect(_ contents: [SnapshotContent], late: (SnapshotContent) -> [Int]) throws
  }
#endif
