internal import RoostRecords

/// Objects that show the rows of a running transaction to the program's `validate`.
///
/// They are in no identity map. Each row has one object here, and its relationships lead to further
/// objects of the view. After `close()` objects that the program kept have the values of their rows
/// and count as deleted.
final class TransactionView {
  let writer: RecordWriter
  private let graph: LinkGraph
  private var shown: [LinkKey: Shown] = [:]

  private struct Shown {
    let object: any _ModelObject
    let origin: ScratchOrigin
    let map: EntityMap
  }

  init(_ writer: RecordWriter, _ graph: LinkGraph) {
    self.writer = writer
    self.graph = graph
  }

  /// The object of a row; nil if there is no row, or if the program does not have its class.
  func object(_ row: UInt64, _ map: EntityMap) throws -> (any _ModelObject)? {
    let key = LinkKey(map: map.home, row: row, property: 0)
    if let known = shown[key] { return known.object }
    let table = try writer.table(map.entity.id)
    return try table.visit(RowID(row)) { stored -> (any _ModelObject)? in
      guard let number = map.family.map({ $0.map(of: stored) }) ?? map.number else { return nil }
      let own = graph.store.maps[number]
      let origin = ScratchOrigin(own, graph, showing: self)
      let object = own.type.makeFault(row: row, origin: origin)
      object._$state.ticket = .max
      origin.begin(stored, table, object: object)
      // The table reads other rows into the same memory.
      origin.fill(object)
      shown[key] = Shown(object: object, origin: origin, map: own)
      return object
    } ?? nil
  }

  /// The objects that a row's relationship references.
  func targets(_ relation: Relation, of row: UInt64) throws -> [any _ModelObject] {
    guard let side = writer.catalog.relationship(relation.way.id) else { return [] }
    let target = graph.store.maps[relation.target]
    return try writer.links(side).rows(of: RowID(row)).compactMap { try object($0.number, target) }
  }

  /// The rows of objects with a `validate` whose values changed since the last call.
  func takeChanged() -> [LinkKey] {
    shown.filter { $0.value.origin.takeChange($0.value.object) && $0.value.map.type.judge != nil }.map(\.key)
  }

  /// The objects that the program changed.
  func changed() throws -> [(object: any _ModelObject, map: EntityMap, properties: UInt64)] {
    for one in shown.values { if let failure = one.origin.failure { throw failure } }
    return shown.sorted { ($0.key.map, $0.key.row) < ($1.key.map, $1.key.row) }.compactMap { _, one in
      one.origin.changed == 0 ? nil : (one.object, one.map, one.origin.changed)
    }
  }

  /// Ends all objects and returns them.
  func close() -> [any _ModelObject] {
    exchange(&shown, with: [:]).values.map { one in
      one.origin.leave()
      one.object._$state.origin = graph.objects.origin(one.map)
      one.object._$state.flags.remove(.fault)
      one.object.markGone()
      graph.objects.fillEmpty(one.object, one.map)
      return one.object
    }
  }
}
