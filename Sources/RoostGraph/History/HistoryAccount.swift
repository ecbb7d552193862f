internal import RoostFile
package import RoostRecords

/// The changes of one transaction, by classes and properties of the models.
///
/// The initializer reads and checks everything, so reading the account cannot fail. Runs of
/// inserted rows stay runs.
package final class HistoryAccount: Sendable {
  package let store: GraphStore
  package let transaction: HistoryCommit
  /// The classes of rows in entities that several classes share, in the order of the changes: a
  /// number of rows and the map of their class; nil if the class is not among the models.
  private let classes: [(count: UInt64, map: Int?)]

  /// A change of rows of one class.
  package struct Step {
    package let kind: RowsChange.Kind
    package let map: EntityMap
    /// One row, except for insertions whose values were not kept.
    package let rows: ClosedRange<UInt64>
    /// The numbers of the changed properties, ascending.
    package let properties: [Int]
    /// The values that were kept.
    package let values: [RowsChange.Kept]

    package var count: Int { Int(clamping: rows.upperBound - rows.lowerBound) &+ 1 }
  }

  package init(_ store: GraphStore, _ transaction: HistoryCommit, reader: RecordReader) throws {
    self.store = store
    self.transaction = transaction
    var classes: [(count: UInt64, map: Int?)] = []
    var next: [EntityID: UInt64] = [:]
    try transaction.entry.changes { change in
      guard let home = store.map(of: change.entity) else { return }
      // The number must be below the number of rows, so that a damaged file cannot name endless
      // rows.
      let limit: UInt64
      if let known = next[change.entity] {
        limit = known
      } else {
        limit = try reader.nextRow(change.entity)
        next[change.entity] = limit
      }
      guard change.rows.lowerBound > 0, change.rows.upperBound < limit else {
        throw StoreError(.damaged, "the history of transaction \(transaction.number) names rows that never existed")
      }
      guard let family = home.family else { return }
      for row in change.rows {
        let map = try Self.map(
          of: row, change, home, family: family, store: store, number: transaction.number, reader: reader)
        if let last = classes.last, last.map == map {
          classes[classes.count - 1].count += 1
        } else {
          classes.append((1, map))
        }
      }
    }
    self.classes = classes
  }

  /// The number of the map of a row's class; nil if the class is not among the models.
  private static func map(
    of row: UInt64, _ change: RowsChange, _ home: EntityMap, family: Family, store: GraphStore,
    number: UInt64, reader: RecordReader
  ) throws -> Int? {
    if change.kind == .delete { return family.map(ofClass: change.classNumber(family)) }
    if let known = change.classNumber(family) { return family.map(ofClass: known) }
    if let found = try store.map(of: row, home, family, reader: reader) { return found }
    guard let gone = try store.historyShelf.classNumber(of: row, home, behind: number, store, reader: reader) else {
      // The row was deleted while the history was off. Only the family's root class is certain.
      return home.number
    }
    return family.map(ofClass: gone)
  }

  /// Calls `body` with each change, entity by entity: insertions, then updates, then deletions. It
  /// leaves out changes of classes and properties that the models do not have.
  ///
  /// - Parameters:
  ///   - wanted: the entities to visit; nil for all.
  ///   - body: gets each change.
  package func visit(of wanted: Set<EntityID>? = nil, _ body: (Step) throws -> Void) throws {
    var place = 0
    var told: UInt64 = 0
    var last: (map: Int, fields: [FieldID], relationships: [UInt32], properties: [Int])?

    func tell(_ change: RowsChange, _ map: EntityMap, rows: ClosedRange<UInt64>) throws {
      if let wanted, !wanted.contains(change.entity) { return }
      var properties: [Int] = []
      if change.kind == .update {
        if let last, last.map == map.number, last.fields == change.fields, last.relationships == change.relationships {
          properties = last.properties
        } else {
          properties = store.historyShelf.names(map, store).properties(change)
          last = (map.number, change.fields, change.relationships, properties)
        }
        if properties.isEmpty { return }
      }
      try body(
        Step(kind: change.kind, map: map, rows: rows, properties: properties, values: change.values))
    }

    func split(_ change: RowsChange) throws {
      var first = change.rows.lowerBound
      while place < classes.count {
        let (count, map) = classes[place]
        let end = first + min(count - told - 1, change.rows.upperBound - first)
        told += end - first + 1
        if told == count { (place, told) = (place + 1, 0) }
        if let map { try tell(change, store.maps[map], rows: first...end) }
        if end == change.rows.upperBound { return }
        first = end + 1
      }
    }

    // All rows of shared entities must be passed to find their classes.
    let entities = classes.isEmpty ? wanted : nil
    try transaction.entry.changes(of: entities) { change in
      guard let home = store.map(of: change.entity) else { return }
      if home.family == nil { try tell(change, home, rows: change.rows) } else { try split(change) }
    }
  }
}

extension GraphStore {
  /// The number of the map of a row's class. The outer optional is nil if there is no such row, the
  /// inner one if the class is not among the models.
  func map(of row: UInt64, _ home: EntityMap, _ family: Family, reader: RecordReader) throws -> Int?? {
    try reader.table(home.entity.id).withRow(RowID(row)) { (row) throws(StoreError) in family.map(of: row) }
  }
}
