internal import RoostFile
package import RoostRecords

/// Tells all contexts of a store of rows that are stored below the objects, as of a bulk write: a commit of nobody's.
package final class RowNotice {
  private let store: GraphStore
  /// Counts members. It shows nothing to anybody.
  private let context: GraphContext
  private var run: BulkRun?
  /// Whom the row that is stored at the moment leads to now, each by the other side of a relationship. They cannot have too few for that.
  private var led: Set<LinkKey> = []
  /// Whom it led to before.
  private var left: Set<LinkKey> = []
  /// By relationship, the other side as it is counted; nil where nobody counts it.
  private var counted: [RelationshipID: LinkKey?] = [:]
  /// Whether anything is counted at all.
  private let isCounted: Bool
  /// The row that was changed last, and not inserted.
  private var changedRow: RowID?

  package init(_ store: GraphStore) {
    self.store = store
    context = GraphContext(store)
    isCounted = !context.store.countedRelations.allSatisfy(\.isEmpty)
  }

  /// A transaction begins.
  package func begin(_ writer: RecordWriter) {
    run = BulkRun(writer)
    (led, left) = ([], [])
  }

  package func changed(_ row: RowID, of entity: EntityID) {
    changedRow = row
    guard let run, let map = store.map(of: entity) else { return }
    context.bulk.noteChanged(row.number, map.home, run)
  }

  /// Something leads to the row by a relationship now.
  package func led(_ row: RowID, of entity: EntityID, by relationship: RelationshipID) {
    if let key = note(row, entity, relationship: relationship) { led.insert(key) }
  }

  /// Something does not lead to the row any more.
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

  /// It is.
  package func stored() { store.listeners.tell() }

  // MARK: Counting

  /// Whether relationships of a class and of those beside it, or those that lead to it, have a least or a greatest number of members.
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

  /// The list, without a row, in which rows stand that lead by a relationship, if it has a least or a greatest number of members.
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

  /// A row is about to be stored that is to be judged.
  package func beginRow() {
    (led, left) = ([], [])
    run?.neighbours = []
    changedRow = nil
  }

  /// Whether a class, or one beside it, has a `validate` of its own, or relationships to a class that has one.
  package func asks(_ map: EntityMap) -> Bool {
    store.maps.contains { one in
      one.entity.id == map.entity.id && (one.type.judge != nil || context.saver.hasJudgedNeighbours(one.number))
    }
  }

  /// Makes an object of a row that was just stored, and calls its `validate`. The object sees other rows as they were before the transaction.
  /// Then it calls those at the other sides of its relationships: these see the transaction.
  package func refusal(_ row: RowID, of map: EntityMap) throws -> GraphFault? {
    guard let run, asks(map) else { return nil }
    let change: ObjectChange = changedRow == row ? .update : .insert
    if let fault = try context.judge(row, map, change: change, writer: run.writer) { return fault }
    let key = LinkKey(map: map.home, row: row.number, property: 0)
    if change == .insert { run.arrived.insert(key) }
    run.neighbours.remove(key)
    return try neighbourRefusal()
  }

  /// The first thing that a row refuses which is at the other side of a relationship that was just set.
  package func neighbourRefusal() throws -> GraphFault? {
    guard let run, !run.neighbours.isEmpty else { return nil }
    return try context.call(.saving) { try context.bulk.judgeNeighbours(run).first }
  }

  /// Which relationship of a row that was just stored has too few members or too many, or makes another one so, as one that it left.
  ///
  /// - Parameter open: relationships of it that are not counted, because they lead nowhere yet.
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

  /// The same of one relationship of a row that was stored before, and may have too few members until all that waits is set.
  package func miscount(_ row: RowID, of map: EntityMap, by one: RelationshipID) throws -> GraphFault? {
    guard let run else { return nil }
    if let fault = try context.saver.count(left, run.writer).first { return fault }
    return try context.saver.count(led.union(keys(row, map, one: one, writer: run.writer)), run.writer, mayBeFew: true)
      .first
  }

  /// Which relationship of a row has too few members.
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

  /// The list of a row, if it has a least or a greatest number of members.
  private func key(_ relation: Relation, _ row: RowID, own: EntityMap) -> LinkKey? {
    guard relation.minimum > 0 || relation.maximum > 0 else { return nil }
    return LinkKey(map: context.saver.declaring(own, relation), row: row.number, property: relation.property)
  }

  /// The map of a row's class; nil where there is no row.
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
