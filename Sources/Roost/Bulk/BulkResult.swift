internal import RoostGraph
internal import RoostRecords

/// The identifiers of the models that a bulk write changed. Each identifier is made when you read
/// it. Consecutive rows take as much memory as one, so a million inserted models take a few bytes.
public struct BulkResult: RandomAccessCollection, Sendable, CustomStringConvertible {
  private var rows = RowRuns()
  private let store: String
  /// The names of entities, by the number of the map.
  private let names: [String]
  /// The identifiers in a store of your program's own, which has no row numbers.
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

  /// The identifier at a position. It is made at each call. A position outside of the collection
  /// ends the program.
  public subscript(position: Int) -> PersistentIdentifier {
    if let identifiers { return identifiers[position] }
    let (map, row) = rows[position]
    return PersistentIdentifier(store: store, entity: names[map], .row(row.number))
  }

  /// `[Person #1, Person #2]`. After ten identifiers it gives the number of the others.
  public var description: String {
    let others = count > 10 ? ["and \(count - 10) more"] : []
    return "[" + (prefix(10).map { "\($0)" } + others).joined(separator: ", ") + "]"
  }
}
