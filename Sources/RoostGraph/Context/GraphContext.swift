package import RoostRecords

/// Objects of a store, as one user of it sees and changes them.
///
/// It shows one snapshot, with its own changes over it. It belongs to one thread at a time; only the end of an object may
/// come from another one.
///
/// ## Invariants
/// 1. Each row has one object at most that is not ending.
/// 2. Objects with changes are kept by the lists; others by their users alone.
/// 3. A fault's slots are empty; the others' hold what the snapshot says, but for changed properties.
package final class GraphContext {
  package let store: GraphStore
  /// Who makes the changes, for the history.
  package var author = ""
  /// Whether its saves are not waited for until they are on the disk: a crash may lose the newest of them.
  package var isRelaxed = false
  /// By number of the map. An origin keeps its context as long as there is an object of it, so a context must be closed.
  @exclusivity(unchecked) private var origins: [RowOrigin?]
  /// The snapshot, from the first moment it is needed.
  @exclusivity(unchecked) private var reader: RecordReader?
  @exclusivity(unchecked) private var tables: [TableReader?]
  /// Objects without a row, and those that have changes, in the order in which they became such. Some may be neither any more.
  @exclusivity(unchecked) var inserted: [any _ModelObject] = []
  @exclusivity(unchecked) var changed: [any _ModelObject] = []
  @exclusivity(unchecked) var deleted: [any _ModelObject] = []
  @exclusivity(unchecked) var links = LinkLedger()
  var sinks: [SinkBox?]
  /// What was asked for last, because the next one is mostly of the same class.
  @exclusivity(unchecked) private var lastMap: (type: ObjectIdentifier, map: EntityMap)?
  /// Why some object has no values; the next save says it.
  package internal(set) var failure: (any Error)?
  @exclusivity(unchecked) package internal(set) var statistics = Statistics()
  @exclusivity(unchecked) package private(set) var isClosed = false
  /// Whose context this is: whoever shows it to users.
  package weak var owner: AnyObject?

  package struct Statistics: Hashable, Sendable {
    /// Rows that were read to fill one object.
    package var faultsFilled = 0
    /// Objects that were filled while their rows were at hand.
    package var objectsFilled = 0
    package var saves = 0
  }

  /// Where rows of one entity are put together.
  final class SinkBox {
    var sink: _RowSink
    init(_ plan: RowPlan) { sink = _RowSink(plan) }
  }

  package init(_ store: GraphStore) {
    self.store = store
    origins = Array(repeating: nil, count: store.maps.count)
    tables = Array(repeating: nil, count: store.maps.count)
    sinks = Array(repeating: nil, count: store.maps.count)
  }

  deinit { reader?.close() }

  /// Gives up all changes. Objects that are in use still show what they have, and faults the newest snapshot.
  package func close() {
    isClosed = true
    rollback()
    origins = Array(repeating: nil, count: origins.count)
    tables = Array(repeating: nil, count: tables.count)
    reader?.close()
    reader = nil
  }

  func checkOpen() throws(GraphFault) {
    if isClosed { throw GraphFault(.closed, "the context is closed") }
  }

  // MARK: The snapshot

  func snapshot() throws -> RecordReader {
    if let reader { return reader }
    let made = try store.records.snapshot()
    reader = made
    return made
  }

  func table(_ map: EntityMap) throws -> TableReader {
    if let table = tables[map.number] { return table }
    let table = try snapshot().table(map.entity.id)
    tables[map.number] = table
    return table
  }

  /// Goes on to the newest snapshot. Objects whose rows others changed become faults again; own changes stay.
  func advance() throws {
    let new = try store.records.snapshot()
    guard let old = reader else {
      reader = new
      return
    }
    if new.commit == old.commit {
      new.close()
      return
    }
    reader = new
    tables = Array(repeating: nil, count: tables.count)
    old.close()
    let news = store.feed.news(after: old.commit, through: new.commit)
    switch news {
    case .entries(let entries):
      // Whose lists they change is not said.
      if entries.contains(where: { $0.author != ObjectIdentifier(self) }) { unloadLists() }
      for entry in entries where entry.author != ObjectIdentifier(self) {
        for (number, rows) in entry.rows {
          guard let origin = origins[number] else { continue }
          for row in rows { if let object = origin.known(row) { refresh(object) } }
        }
      }
    case .everything:
      unloadLists()
      for origin in origins { origin?.all().forEach(refresh) }
    }
  }

  /// Makes an object read its row again.
  private func refresh(_ object: any _ModelObject) {
    let flags = object._$state.flags
    if flags.contains(.inserted) || flags.contains(.gone) || flags.contains(.fault) { return }
    if flags.contains(.changed) { return mergeLater(object) }
    object._$forget()
    object._$state.flags.insert(.fault)
  }

  /// Takes over what others changed, but for the properties that were changed here.
  private func mergeLater(_ object: any _ModelObject) {
    guard let origin = object._$state.origin as? RowOrigin else { return }
    fillUnchanged(object, origin)
  }

  // MARK: Objects

  /// All that are in use.
  var allObjects: [any _ModelObject] { origins.flatMap { $0?.all() ?? [] } }

  func origin(_ map: EntityMap) -> RowOrigin {
    if let origin = origins[map.number] { return origin }
    let origin = RowOrigin(map, in: self)
    if !isClosed { origins[map.number] = origin }
    return origin
  }

  func origin(of object: any _ModelObject) throws(GraphFault) -> RowOrigin? {
    guard let origin = object._$state.origin else { return nil }
    guard let own = origin as? RowOrigin, own.context === self else {
      throw GraphFault(
        .foreign, "the object belongs to another context: fetch it here by its identifier",
        entity: type(of: object)._$type.name, row: object._$state.row)
    }
    return own
  }

  func map(of object: any _ModelObject) throws(GraphFault) -> EntityMap {
    let type = ObjectIdentifier(type(of: object))
    if let last = lastMap, last.type == type { return last.map }
    if let map = store.map(of: Swift.type(of: object)) {
      lastMap = (type, map)
      return map
    }
    throw GraphFault(
      .unknownModel, "the container was not made for this model: name it where the container is made",
      entity: Swift.type(of: object)._$type.name)
  }

  /// The object of a row, if there is one already.
  package func registered(_ map: EntityMap, _ row: RowID) -> (any _ModelObject)? {
    origins[map.number]?.known(row.number)
  }

  /// The object of a row, whether there is such a row or not.
  package func object(_ map: EntityMap, _ row: RowID) -> any _ModelObject { origin(map).object(row.number) }

  /// The object of a row; nil if there is no such row.
  package func existing(_ map: EntityMap, _ row: RowID) throws -> (any _ModelObject)? {
    try checkOpen()
    if let known = registered(map, row) { return known._$state.flags.contains(.deleted) ? nil : known }
    return try table(map).contains(row) ? object(map, row) : nil
  }
}
