internal import RoostGraph
internal import RoostRecords

/// The models that a bulk write was about: their identifiers, each made when it is asked for. Rows that follow each other take no more
/// room than one, so a million inserted models take a few bytes.
public struct BulkResult: RandomAccessCollection, Sendable {
  private var rows = RowRuns()
  private let store: String
  /// By number of the class's map.
  private let names: [String]
  /// Those of a store of the program's own, which are no rows' numbers.
  private var identifiers: [PersistentIdentifier]?

  init(_ outcome: BulkOutcome, _ store: GraphStore) { self.init(outcome.rows, store) }

  init(_ rows: RowRuns, _ store: GraphStore) {
    self.rows = rows
    self.store = store.identifier
    names = store.maps.map(\.type.name)
  }

  init(_ identifiers: [PersistentIdentifier]) {
    self.identifiers = identifiers
    (store, names) = ("", [])
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { identifiers?.count ?? rows.count }

  /// The identifier at a position, made at each call. A position outside of the collection ends the program.
  public subscript(position: Int) -> PersistentIdentifier {
    if let identifiers { return identifiers[position] }
    let (map, row) = rows[position]
    return PersistentIdentifier(store: store, entity: names[map], .row(row.number))
  }
}
