internal import RoostFile
package import RoostRecords

/// Tells all contexts of a store about rows that were stored without objects, such as by an import.
package final class RowNotice {
  private let store: GraphStore
  /// Counts members. It shows no objects.
  private let context: GraphContext
  private var run: BulkRun?
  /// The rows that the current row references now, each with the inverse list. They cannot have too
  /// few members for that reason.
  private var led: Set<LinkKey> = []
  /// The rows that it referenced before.
  private var left: Set<LinkKey> = []
  /// The inverse list by relationship, without a row; nil if its members are not counted.
  private var counted: [RelationshipID: LinkKey?] = [:]
  /// Whether any relationship is counted.
  private let isCounted: Bool
  /// The last row that was changed and not inserted.
  private var changedRow: RowID?

  package init(_ store: GraphStore) {
    self.store = store
    context = GraphContext(store)
    isCounted = !context.store.countedRelations.allSatisfy(\.isEmpty)
  }

  /// Begins a transaction.
  package func begin(_ writer: RecordWriter) {
    run = BulkRun(writer)
    (led, left) = ([], [])
  }

  package func changed(_ row: RowID, of entity: EntityID) {
    changedRow = row
    guard let run, let map = store.map(of: entity) else { return }
    context.bulk.noteChanged(row.number, map.home, run: run)
  }

  /// Records that a row is referenced through a relationship now.
  package func led(_ row: RowID, of entity: EntityID, by relationship: RelationshipID) {
    if let key = note(row, entity, relationship: relationship) { led.insert(key) }
  }

  /// Records that a row is no longer referenced through a relationship. Called before the
  /// transaction is committed.
  package func left(_ row: RowID, of entity: EntityID, by relationship: RelationshipID) {
    if let key = note(row, entity, relationship: relationship) { left.insert(key) }
  }

  private func note(_ row: RowID, _ entity: EntityID, relationship: RelationshipID) -> LinkKey? {
    guard let map = store.map(of: entity) else { return nil }
    run?.note(owner: row.number, map.home)
    if store.judgedHomes.contains(map.home) {
      run?.neighbours.insert(LinkKey(map: map.home, row: row.number, property: 0))
    }
    guard isCounted, var key = otherSide(relationship) else { return nil }
    key.row = row.number
    return key
  }

  /// The transaction is about to be committed.
  package func end() throws {
    if let run {
      let faults = try context.call(.saving) { try context.saver.settleChains(run.writer) }
      if !faults.isEmpty { throw SaveRefusal(faults: faults) }
    }
    try run?.tell(store)
    run = nil
  }

  /// Called after the commit.
  package func stored() { store.listeners.tell() }

  // MARK: Counting

  /// Whether relationships of a class or its family, or their inverses, have a minimum or maximum
  /// number of members.
  package func counts(_ map: EntityMap) -> Bool {
    store.maps.contains { other in
      guard other.entity.id == map.entity.id else { return false }
      return store.relations[other.number].contains { relation in
        guard let relation else { return false }
        return relation.minimum > 0 || relation.maximum > 0 || inverseCounts(relation)
      }
    }
  }

  private func inverseCounts(_ relation: Relation) -> Bool {
    guard let inverse = relation.inverse else { return false }
    return context.store.countedRelations[relation.target].contains { $0.property == inverse }
  }

  /// The list, without a row, that contains the rows referencing through a relationship, if its
  /// members are counted.
  private func otherSide(_ relationship: RelationshipID) -> LinkKey? {
    if let known = counted[relationship] { return known }
    var found: LinkKey?
    for map in store.maps {
      for case .some(let relation) in store.relations[map.number]
      where relation.way.id == relationship && inverseCounts(relation) {
        if let inverse = relation.inverse { found = LinkKey(map: relation.target, row: 0, property: inverse) }
      }
    }
    counted[relationship] = .some(found)
    return found
  }

  /// Called before a row is stored and checked.
  package func beginRow() {
    (led, left) = ([], [])
    run?.neighbours = []
    changedRow = nil
  }

  /// Whether a class or one of its family has its own `validate`, or relationships to a class that has
  /// one.
  package func asks(_ map: EntityMap) -> Bool {
    store.maps.contains { one in
      one.entity.id == map.entity.id && (one.type.judge != nil || context.saver.hasJudgedNeighbours(one.number))
    }
  }

  /// Makes an object of a row that was just stored and calls its `validate`. The object sees other
  /// rows as they were before the transaction.
  ///
  /// Then it calls `validate` of the rows at the other sides of its relationships. These see the
  /// transaction.
  package func refusal(_ row: RowID, of map: EntityMap) throws -> GraphFault? {
    guard let run, asks(map) else { return nil }
    let change: ObjectChange = changedRow == row ? .update : .insert
    if let fault = try context.judge(row, map, change: change, writer: run.writer) { return fault }
    let key = LinkKey(map: map.home, row: row.number, property: 0)
    if change == .insert { run.arrived.insert(key) }
    run.neighbours.remove(key)
    return try neighbourRefusal()
  }

  /// The first error of `validate` of the rows at the other sides of relationships that were just set.
  package func neighbourRefusal() throws -> GraphFault? {
    guard let run, !run.neighbours.isEmpty else { return nil }
    return try context.call(.saving) { try context.bulk.judgeNeighbours(run).first }
  }

  /// The error of a relationship that has too few or too many members because a row was stored: its
  /// own, the relationships that reference it, and those that it left.
  ///
  /// - Parameters:
  ///   - row: the row.
  ///   - map: the map of its class.
  ///   - open: relationships that are not counted, because they are not set yet.
  package func miscount(_ row: RowID, of map: EntityMap, but open: Set<RelationshipID>) throws -> GraphFault? {
    guard let run, let own = try own(row, map, writer: run.writer) else { return nil }
    let table = try run.writer.table(map.entity.id)
    var (keys, others) = (left, led)
    for case .some(let relation) in store.relations[own.number] where !open.contains(relation.way.id) {
      if let key = key(relation, row, own: own) { keys.insert(key) }
      guard inverseCounts(relation), let inverse = relation.inverse else { continue }
      for other in try members(relation, of: row, own, table: table, writer: run.writer) {
        others.insert(LinkKey(map: relation.target, row: other.number, property: inverse))
      }
    }
    if let fault = try context.saver.count(keys, run.writer).first { return fault }
    return try context.saver.count(others, run.writer, mayBeFew: true).first
  }

  /// The error of one relationship of a row that was stored before. It may have too few members
  /// until all its references are set.
  package func miscount(_ row: RowID, of map: EntityMap, by one: RelationshipID) throws -> GraphFault? {
    guard let run else { return nil }
    if let fault = try context.saver.count(left, run.writer).first { return fault }
    return try context.saver.count(led.union(keys(row, map, one: one, writer: run.writer)), run.writer, mayBeFew: true)
      .first
  }

  /// The error if a relationship of a row has too few members.
  package func lack(_ row: RowID, of map: EntityMap, in one: RelationshipID) throws -> GraphFault? {
    guard let run else { return nil }
    return try context.saver.count(keys(row, map, one: one, writer: run.writer), run.writer).first
  }

  private func keys(
    _ row: RowID, _ map: EntityMap, one: RelationshipID, writer: RecordWriter
  ) throws -> Set<LinkKey> {
    guard let own = try own(row, map, writer: writer) else { return [] }
    let relations = store.relations[own.number].compactMap { $0 }.filter { $0.way.id == one }
    return Set(relations.compactMap { key($0, row, own: own) })
  }

  /// The list of a row, if it has a minimum or maximum number of members.
  private func key(_ relation: Relation, _ row: RowID, own: EntityMap) -> LinkKey? {
    guard relation.minimum > 0 || relation.maximum > 0 else { return nil }
    return LinkKey(map: context.saver.declaring(own, relation), row: row.number, property: relation.property)
  }

  /// The map of a row's class; nil if the row does not exist.
  private func own(_ row: RowID, _ map: EntityMap, writer: RecordWriter) throws -> EntityMap? {
    let number = try writer.table(map.entity.id).visit(row) { map.family?.map(of: $0) ?? map.number }
    return number.map { store.maps[$0] }
  }

  private func members(
    _ relation: Relation, of row: RowID, _ map: EntityMap, table: TableWriter, writer: RecordWriter
  ) throws -> [RowID] {
    if case .reference = relation.way {
      guard let field = map.field(relation.property) else { return [] }
      return try table.reference(table.slot(field.name), of: row).map { [$0] } ?? []
    }
    guard let side = writer.catalog.relationship(relation.way.id) else { return [] }
    return try writer.links(side).rows(of: row)
  }
}
