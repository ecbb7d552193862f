internal import RoostFile
internal import RoostRecords

/// An object that represents one row after the other, for writes of many rows without an object for
/// each.
///
/// Its slots are filled with the properties that were read in earlier rows; other properties are
/// read when they are used. It is in no identity map, so no look-up finds it. If the program keeps
/// it after its row, it is a deleted object with that row's values.
final class Scratch {
  let map: EntityMap
  private let graph: LinkGraph
  private var origin: ScratchOrigin
  private var held: AnyObject?

  init(_ map: EntityMap, _ graph: LinkGraph) {
    self.map = map
    self.graph = graph
    origin = ScratchOrigin(map, graph)
  }

  var object: any _ModelObject {
    if let held { return map.type.object(held) }
    let made = map.type.makeFault(row: 0, origin: origin)
    made._$state.ticket = .max
    held = made
    return made
  }

  /// The properties that were set since the row began.
  var changed: UInt64 { origin.changed }
  /// The error of an unsupported change of the object, or of a read of the row.
  var failure: (any Error)? { origin.failure }

  /// Makes the object represent a row, which stays in place until ``leave()``.
  func begin(_ row: Row, _ table: TableWriter) {
    let object = object
    object._$state.row = row.id.number
    origin.begin(row, table, object: object)
  }

  /// Ends the current row. If the program holds the object, it keeps the row's values and is marked
  /// as deleted; the next row gets another object.
  func leave() {
    if held == nil || isKnownUniquelyReferenced(&held) { return origin.leave() }
    let object = object
    held = nil
    origin.fill(object)
    origin.leave()
    object._$state.origin = graph.objects.origin(map)
    object._$state.flags.remove(.fault)
    object.markGone()
    graph.objects.fillEmpty(object, map)
    let former = exchange(&origin, with: ScratchOrigin(map, graph))
    origin.wanted = former.wanted
  }
}
