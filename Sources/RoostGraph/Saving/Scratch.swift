internal import RoostFile
internal import RoostRecords

/// One object that stands for one row after the other, while many are written without an object for each.
///
/// Its slots are filled with what was read in rows before; what is asked for beside that is read when it is asked for. It is in no
/// identity map, and nobody else finds it. Whoever keeps it beyond its row has a dead object with that row's values.
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
  /// What was done with the object that cannot be done.
  var fault: GraphFault? { origin.fault }
  /// Why something of the row could not be read.
  var failure: (any Error)? { origin.failure }

  /// Makes the object stand for a row, which stays where it is until ``leave()``.
  func begin(_ row: Row, _ table: TableWriter) {
    let object = object
    object._$state.row = row.id.number
    origin.begin(row, table, object: object)
  }

  /// Lets the row go. If somebody else has the object it keeps the values of the row, and says that it is deleted; the next row has
  /// another one.
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
