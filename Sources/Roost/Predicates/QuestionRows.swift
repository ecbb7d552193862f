internal import RoostGraph
internal import RoostRecords

/// The rows that a question names, and their identifiers.
///
/// A row that the working set does not have yet gets a number for this question only.
///
/// Unchecked because `unknown` grows while a context translates its question, and never afterwards.
final class QuestionRows: @unchecked Sendable {
  private let store: GraphStore
  private var unknown: [PersistentIdentifier] = []

  /// The first of the numbers that no working set reaches.
  private static let first: UInt64 = 1 << 62

  init(_ store: GraphStore) { self.store = store }

  /// Returns the number of an identifier that the working set does not know. Nil if the store
  /// cannot have the row.
  func row(of identifier: PersistentIdentifier) -> RowID? {
    guard identifier.store == store.identifier, identifier.key.isLasting else { return nil }
    unknown.append(identifier)
    return RowID(Self.first + UInt64(unknown.count - 1))
  }

  func identifier(_ entity: EntityID, _ row: RowID) -> PersistentIdentifier? {
    if row.number >= Self.first {
      let place = Int(row.number - Self.first)
      return unknown.indices.contains(place) ? unknown[place] : nil
    }
    // No row has the number 0.
    guard row.number > 0, let map = store.map(of: entity) else { return nil }
    return store.identifier(map.type.name, row.number)
  }
}
