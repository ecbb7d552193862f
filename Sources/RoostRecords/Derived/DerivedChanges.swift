/// The changes of derived fields in a transaction, by row and field. Each row is written once for
/// all of them.
struct DerivedChanges {
  /// One derived field of one row.
  struct Place: Hashable, Comparable {
    let entity: EntityID
    let row: RowID
    let field: FieldID

    static func < (one: Place, other: Place) -> Bool {
      (one.entity, one.row, one.field) < (other.entity, other.row, other.field)
    }
  }

  private(set) var changes: [Place: DerivedChange] = [:]
  /// With this many changes, they are written before the transaction ends.
  private(set) var limit = DerivedChanges.most

  static let most = 1 << 16

  var isEmpty: Bool { changes.isEmpty }
  /// Updated with the changes, because it is read after each row.
  private(set) var isFull = false

  @inline(__always)
  mutating func note(_ place: Place, _ kind: Derivation.Kind, value: Value, isRemoved: Bool) {
    changes[place, default: DerivedChange()].note(kind, value, isRemoved: isRemoved)
    isFull = changes.count >= limit
  }

  mutating func forget(_ place: Place) {
    changes[place, default: DerivedChange()].forget()
    isFull = changes.count >= limit
  }

  /// Takes all changes out, sorted by row.
  mutating func take() -> [(place: Place, change: DerivedChange)] {
    let taken = changes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    changes.removeAll(keepingCapacity: true)
    isFull = false
    return taken
  }

  /// Keeps changes of rows that do not exist yet. They are tried again after as many other changes
  /// were added.
  mutating func keep(_ absent: [(place: Place, change: DerivedChange)]) {
    for (place, change) in absent { changes[place] = change }
    limit = max(Self.most, 2 * changes.count)
    isFull = false
  }
}
