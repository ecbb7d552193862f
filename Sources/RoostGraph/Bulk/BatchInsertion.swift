internal import RoostFile
internal import RoostRecords

extension BulkWriter {
  /// Inserts objects without a context as rows, and does not keep them. It inserts all of them, or
  /// none if it throws.
  ///
  /// Unsaved objects of this context are left to the save, which must follow: a reference may have
  /// inserted them before they were given. The outcome says so.
  ///
  /// - Parameter body: gets a closure that inserts one object after the other.
  func insert(_ body: ((any _ModelObject) throws -> Void) throws -> Void) throws -> BulkOutcome {
    var (rows, leavesSome) = (RowRuns(), false)
    var outcome = try write { run in
      let insertion = BatchInsertion(self, run)
      let brings = exchange(&links.bringsObjects, with: false)
      defer {
        links.bringsObjects = brings
        insertion.book.end()
      }
      try body { object in
        if waits(object) {
          try insertion.leave(object)
          leavesSome = true
        } else {
          try insertion.add(object)
        }
      }
      rows = insertion.rows
      return insertion.isIdle ? nil : rows
    }
    if leavesSome { outcome.given = rows }
    return outcome
  }

  /// Whether an object is new and unsaved in this context.
  private func waits(_ object: any _ModelObject) -> Bool {
    guard let origin = object._$state.origin as? RowOrigin, origin.table === objects else { return false }
    return object._$state.flags.contains(.inserted) && !object._$state.flags.contains(.deleted)
  }
}

/// The work of one bulk insertion.
///
/// It writes the rows of an object at once. The object joins no context. The work keeps the number
/// of its row, and the object only if the program still holds it.
final class BatchInsertion {
  let bulk: BulkWriter
  let run: BulkRun
  /// The rows of the given objects, in order.
  private(set) var rows = RowRuns()
  /// Whether no object was given.
  private(set) var isIdle = true
  var book = InsertionBook()
  /// References that new objects set in the existing rows they were merged into. They override
  /// other objects' lists.
  private(set) var said: Set<LinkKey> = []
  /// The elements of `said`, in the order in which they were added.
  private var sayings: [LinkKey] = []
  /// Whether `validate` of related rows is called after each element. If not, the end of the write
  /// calls it.
  var judgesAtOnce = false
  private var places: [Int: Place] = [:]
  private var last: (type: ObjectIdentifier, place: Place)?

  /// The table and the relationships of a class.
  final class Place {
    let map: EntityMap
    let table: TableWriter
    let box: Saver.SinkBox
    let relations: [Relation]
    /// Whether relationships of the class, or their inverses, have a minimum or maximum number of
    /// members.
    let isCounted: Bool
    let uniques: [IndexID]
    let hasOwnInverse: Bool
    /// Whether the class has a `validate` and its rows may be merged, or whether its rows change
    /// lists of rows that have a `validate`.
    let hasJudgedNeighbours: Bool
    /// Whether its rows can take partners from other rows.
    let hasPartners: Bool

    init(_ map: EntityMap, _ bulk: BulkWriter, writer: RecordWriter) throws {
      self.map = map
      table = try writer.table(map.entity.id)
      box = bulk.saver.sink(map)
      relations = bulk.store.relations[map.number].compactMap { $0 }
      isCounted = !bulk.store.countedRelations.allSatisfy(\.isEmpty)
      uniques = bulk.store.uniques(of: map).map(\.id)
      hasJudgedNeighbours =
        map.type.judge != nil && !uniques.isEmpty || bulk.saver.hasJudgedNeighbours(map.number)
      hasOwnInverse = relations.contains(where: \.isOwnInverse)
      hasPartners = relations.contains { relation in
        guard case .reference(let id) = relation.way, let side = writer.catalog.relationship(id) else { return false }
        return writer.catalog.inverse(of: side)?.isToOne == true
      }
    }
  }

  init(_ bulk: BulkWriter, _ run: BulkRun) {
    self.bulk = bulk
    self.run = run
  }

  func place(_ object: any _ModelObject) throws -> Place {
    let type = ObjectIdentifier(type(of: object))
    if let last, last.type == type { return last.place }
    let found = try self.place(of: bulk.objects.map(of: object))
    last = (type, found)
    return found
  }

  func place(of map: EntityMap) throws -> Place {
    if let known = places[map.number] { return known }
    let made = try Place(map, bulk, writer: run.writer)
    places[map.number] = made
    return made
  }

  /// Records a new row with a `validate`: it is called again if later rows reference this one.
  func noteArrival(_ row: RowID, _ place: Place) {
    guard place.map.type.judge != nil else { return }
    run.arrived.insert(LinkKey(map: place.map.home, row: row.number, property: 0))
  }

  /// Records a row that was inserted otherwise.
  func noteInserted(_ map: EntityMap, _ row: RowID) {
    if map.type.judge != nil { run.arrived.insert(LinkKey(map: map.home, row: row.number, property: 0)) }
    run.inserted.append(map.number, row)
    rows.append(map.number, row)
  }

  /// Records an existing row for a given object.
  func noteFound(_ map: EntityMap, _ row: RowID) { rows.append(map.number, row) }

  /// The state to restore if a part of the work is undone.
  struct Mark {
    fileprivate var rows: RowRuns
    fileprivate var inserted: RowRuns
    fileprivate var counted: Set<LinkKey>
    fileprivate var crowded: Set<LinkKey>
    fileprivate var neighbours: Set<LinkKey>
    fileprivate var summary: SaveOutcome
    fileprivate var sayings: Int
  }

  /// Records that a merged object sets a reference.
  func noteSaid(_ reference: LinkKey) { if said.insert(reference).inserted { sayings.append(reference) } }

  func mark() -> Mark {
    Mark(
      rows: rows, inserted: run.inserted, counted: run.counted, crowded: run.crowded, neighbours: run.neighbours,
      summary: run.summary, sayings: sayings.count)
  }

  /// Restores the state; tables are looked up again. A mark is set before one element, so the
  /// newest objects of the book are the ones to forget.
  func goBack(to mark: Mark) {
    book.forgetNewest()
    (rows, run.inserted) = (mark.rows, mark.inserted)
    (run.counted, run.crowded) = (mark.counted, mark.crowded)
    run.neighbours = mark.neighbours
    run.summary = mark.summary
    for reference in sayings[mark.sayings...] { said.remove(reference) }
    sayings.removeSubrange(mark.sayings...)
    places = [:]
    last = nil
  }

  /// Records the row of an object that the next save writes.
  func leave(_ object: any _ModelObject) throws {
    rows.append(try place(object).map.number, RowID(object._$state.row))
  }

  func add(_ object: any _ModelObject) throws {
    isIdle = false
    book.letGo()
    let place = try place(object)
    if object._$state.origin != nil {
      throw GraphFault(
        .foreign, "it is stored already, or in another context: insert(batch:) takes new models only",
        name: bulk.objects.name(object))
    }
    if !book.contains(object) {
      if object._$state.flags.contains(.fresh) { object.settle() }
      try judge(object, place)
      if try isAlone(object, place) { try addAlone(object, place) } else { try addWithOthers(object) }
    }
    rows.append(place.map.number, RowID(object._$state.row))
  }

  /// Whether it brings no objects along and no other row changes with it.
  func isAlone(_ object: any _ModelObject, _ place: Place) throws -> Bool {
    if bulk.store.hasLooseLinks[place.map.number] { return false }
    for relation in place.relations {
      if relation.isList {
        if object.many(relation.property).members?.isEmpty == false { return false }
        continue
      }
      let slot = object.one(relation.property)
      guard slot.isHolding, let other = slot.object.map({ bulk.links.model($0, relation) }) else { continue }
      guard case .reference = relation.way, !relation.isOwnInverse else { return false }
      if other._$state.origin != nil {
        try check(other, relation, of: object)
      } else if !book.contains(other) || !relation.isInverseList {
        return false
      }
    }
    return true
  }

  /// Throws if a relationship cannot reference an object that has a context.
  func check(_ other: any _ModelObject, _ relation: Relation, of object: any _ModelObject) throws {
    guard let fault = bulk.links.lacksRow(other, relation) else { return }
    throw GraphFault(
      fault.code, fault.detail, entity: type(of: object)._$type.name,
      property: type(of: object)._$type.propertyName(relation.property), others: [bulk.objects.name(other)])
  }

  // MARK: One object

  private func addAlone(_ object: any _ModelObject, _ place: Place) throws {
    try encode(object, place)
    func insert() throws {
      let row = try place.table.insert(&place.box.sink.builder)
      book.add(object, row.number)
      run.inserted.append(place.map.number, row)
      noteArrival(row, place)
    }
    do { try insert() } catch let fault as RecordFault {
      // As in a save, the index of a model over one reference decides no merge.
      let decides = bulk.saver.partnership(fault, place.map)?.isInverseList != true
      if decides, let row = try faulting(object, { try stored(like: fault, place) }) {
        guard try mergeAlone(object, place, first: row, fault: fault) else { return }
      } else {
        try parting(object, place, group: nil, write: insert)
      }
    }
    noteLeads(object, place, row: RowID(object._$state.row))
    if place.isCounted || place.hasJudgedNeighbours { try count() }
  }

  func encode(_ object: any _ModelObject, _ place: Place) throws {
    place.box.sink.clear()
    if bulk.store.computes { object.computeDerived(place.map.type) }
    object._$encode(only: .max, into: &place.box.sink)
    if let failure = place.box.sink.failure { throw refusal(failure, object) }
    try check(object, place)
    #if DEBUG
      let faults = bulk.saver.readBack(object, place.map, box: place.box)
      if !faults.isEmpty { throw SaveRefusal(faults: faults) }
    #endif
  }

  /// The row that has the unique values of the rejected row in the box, if the object may be merged
  /// into it. The error may name a former partner instead, because the index of the reference was
  /// checked first.
  func stored(like fault: RecordFault, _ place: Place) throws -> RowID? {
    guard fault.code == .notUnique, fault.rows.count == 1, !place.uniques.isEmpty,
      let row = try place.table.row(like: &place.box.sink.builder, in: place.uniques),
      bulk.saver.isAlike(RowName(place.map.entity.id, row), place.map, writer: run.writer)
    else { return nil }
    return row
  }

  func faulting<Result>(_ object: any _ModelObject, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let fault as RecordFault { throw refusal(fault, object) }
  }

  func refusal(_ fault: RecordFault, _ object: any _ModelObject) -> GraphFault {
    var fault = bulk.saver.refusal(fault, bulk.objects.name(object), writer: run.writer)
    // No other context knows its row.
    fault.row = nil
    return fault
  }

  /// Records the objects whose lists now contain the row.
  func noteLeads(_ object: any _ModelObject, _ place: Place, row: RowID) {
    let key = LinkKey(map: place.map.number, row: row.number, property: 0)
    for relation in place.relations where !relation.isList {
      guard case .reference = relation.way else { continue }
      bulk.noteLead(relation, from: key, to: bulk.saver.leads(object, relation).map { RowID($0) }, run)
    }
    if !place.isCounted { return }
    for relation in bulk.store.countedRelations[place.map.number] {
      run.counted.insert(
        LinkKey(map: bulk.saver.declaring(place.map, relation), row: row.number, property: relation.property))
    }
  }

  /// Counts list members after each object: then the object and those that it brought along are
  /// complete. Calls `validate` of the objects at the other sides too.
  func count() throws {
    if judgesAtOnce {
      let refused = try bulk.judgeNeighbours(run)
      if !refused.isEmpty { throw SaveRefusal(faults: refused) }
    }
    if run.counted.isEmpty, run.crowded.isEmpty { return }
    let faults =
      try bulk.saver.count(run.counted, run.writer)
      + bulk.saver.count(run.crowded.subtracting(run.counted), run.writer, mayBeFew: true)
    if !faults.isEmpty { throw SaveRefusal(faults: faults) }
    (run.counted, run.crowded) = ([], [])
  }
}
