internal import RoostFile
internal import RoostRecords

/// Updates all rows of a choice, without an object for each.
extension BulkWriter {
  /// Calls `body` with an object for each row and writes the properties that it sets: all of them,
  /// or none if it throws. Returns the rows that changed.
  func update(_ choice: RowChoice, _ body: (any _ModelObject) throws -> Void) throws -> BulkOutcome {
    try write { run in
      let rows = try rows(choice, run.writer)
      if rows.isEmpty { return nil }
      try checkWaiting(rows, choice.map)
      let update = try BulkUpdate(self, run, map: choice.map, rows: rows)
      var counter = InterruptCounter()
      for row in rows {
        try counter.step()
        try update.update(row, body)
      }
      try update.finish()
      return update.changed.count == 0 ? nil : update.changed
    }
  }
}

/// The work of one bulk update.
private final class BulkUpdate {
  private let bulk: BulkWriter
  private let run: BulkRun
  private let table: TableWriter
  private let scratches: Scratches
  private let home: Int
  private let rows: [RowID]
  @exclusivity(unchecked) private(set) var changed = RowRuns()
  /// Rows that need a unique value which another row has. That row may give it up.
  private var waiting: [Waiting] = []
  /// The rows as a set, once a row must wait.
  private lazy var all = Set(rows)
  /// The facts by number of the map, and the facts of the previous row.
  private var facts: [Int: Facts] = [:]
  @exclusivity(unchecked) private var last: Facts?

  private struct Waiting {
    var row: RowID
    var map: EntityMap
    var values: [(slot: RoostRecords.Slot, value: Value)]
  }

  /// Facts about a class's properties.
  private final class Facts {
    let map: EntityMap
    let box: Saver.SinkBox
    /// The bits of properties that are part of a unique constraint.
    let uniques: UInt64
    let references: [(relation: Relation, bit: UInt64, slot: RoostRecords.Slot)]
    let referenceBits: UInt64

    init(_ map: EntityMap, _ bulk: BulkWriter, table: TableWriter) throws {
      self.map = map
      box = bulk.saver.sink(map)
      uniques = try bulk.saver.uniqueBits(map)
      var references: [(relation: Relation, bit: UInt64, slot: RoostRecords.Slot)] = []
      for case .some(let relation) in bulk.store.relations[map.number] {
        guard case .reference = relation.way else { continue }
        let slot = try table.slot(map.type.fieldName(relation.property))
        references.append((relation, _ModelState.bit(relation.property), slot))
      }
      self.references = references
      referenceBits = references.reduce(0) { $0 | $1.bit }
    }
  }

  init(_ bulk: BulkWriter, _ run: BulkRun, map: EntityMap, rows: [RowID]) throws {
    self.bulk = bulk
    self.run = run
    self.rows = rows
    home = map.home
    table = try run.writer.table(map.entity.id)
    scratches = Scratches(bulk, table, map: map)
  }

  private func facts(_ map: EntityMap) throws -> Facts {
    if let last, last.map === map { return last }
    let found = try facts[map.number] ?? Facts(map, bulk, table: table)
    facts[map.number] = found
    last = found
    return found
  }

  // MARK: One row

  func update(_ id: RowID, _ body: (any _ModelObject) throws -> Void) throws {
    var rest: Waiting?
    let done = try scratches.visit(id) { scratch, row -> (map: EntityMap, box: Saver.SinkBox)? in
      try body(scratch.object)
      if bulk.store.computes { scratch.object.computeDerived(scratch.map.type) }
      if scratch.changed == 0 || scratch.failure != nil { return nil }
      let map = scratch.map
      if map.type.judge != nil {
        run.refuse(bulk.saver.judge(scratch.object, .update, name: ObjectName(map.type.name, id.number)))
        if bulk.store.computes { scratch.object.computeDerived(map.type) }
      }
      let changed = scratch.changed
      let facts = try facts(map)
      let box = facts.box
      box.sink.builder.load(admitted: row.bytes)
      box.sink.failure = nil
      let isLeading = changed & facts.referenceBits != 0
      if isLeading { note(facts, changed, box: box, id: id, map: map) }
      scratch.object._$encode(only: changed, into: &box.sink)
      if let failure = box.sink.failure { throw refusal(failure, id, map: map) }
      if bulk.saver.hasChecks, !bulk.saver.isFilling {
        run.refuse(bulk.saver.breaches(box, map, mask: changed, name: ObjectName(map.type.name, id.number)))
      }
      if isLeading { note(facts, changed, box: box, id: id, map: map) }
      if changed & facts.uniques != 0 { rest = try values(changed, box, id: id, map: map) }
      return (map, box)
    }
    guard case .some(.some(let (map, box))) = done else { return }
    do {
      try table.replace(id, with: &box.sink.builder)
    } catch let fault as RecordFault {
      guard let rest, fault.code == .notUnique, let other = fault.rows.first, other.entity == table.entity.id,
        all.contains(other.row)
      else { throw refusal(fault, id, map: map) }
      waiting.append(rest)
    }
    run.note(changed: id.number, home)
    changed.append(map.number, id)
  }

  private func refusal(_ fault: RecordFault, _ id: RowID, map: EntityMap) -> SaveRefusal {
    SaveRefusal(faults: [bulk.saver.refusal(fault, ObjectName(map.type.name, id.number), writer: run.writer)])
  }

  /// The new values of the changed properties, for another attempt.
  private func values(
    _ changed: UInt64, _ box: Saver.SinkBox, id: RowID, map: EntityMap
  ) throws -> Waiting {
    let fields = try bulk.objects.fields(map).filter { changed & 1 << UInt64($0.key) != 0 }.flatMap(\.value)
    let values = try table.reading.values(fields, of: id, in: box.sink.builder)
    let slots = try fields.compactMap { field in try table.entity.field(field).map { try table.slot($0.name) } }
    return Waiting(row: id, map: map, values: Array(zip(slots, values)).map { (slot: $0, value: $1) })
  }

  /// Records the targets of changed references: once before the change and once after it.
  private func note(
    _ facts: Facts, _ changed: UInt64, box: Saver.SinkBox, id: RowID, map: EntityMap
  ) {
    for (relation, bit, slot) in facts.references where changed & bit != 0 {
      let other = box.sink.builder.reference(slot)
      bulk.noteLead(relation, from: LinkKey(map: map.number, row: id.number, property: 0), to: other, run)
    }
  }

  // MARK: Waiting rows

  /// Writes the waiting rows as long as that makes progress. A row mostly waits for the next one,
  /// so the last one is written first.
  func finish() throws {
    var faults: [GraphFault] = []
    while !waiting.isEmpty {
      let count = waiting.count
      faults = []
      var left: [Waiting] = []
      for one in waiting.reversed() {
        do {
          try table.update(one.row) { builder in
            for (slot, value) in one.values { try builder.set(slot, value) }
          }
        } catch let fault as RecordFault where fault.code == .notUnique {
          if faults.count < 1000 {
            faults.append(bulk.saver.refusal(fault, ObjectName(one.map.type.name, one.row.number), writer: run.writer))
          }
          left.append(one)
        }
      }
      waiting = left
      if left.count == count { throw SaveRefusal(faults: faults) }
    }
  }
}

extension BulkWriter {
  /// Records that a row references another row or did: its lists change, and their members may need
  /// to be counted.
  func noteLead(_ relation: Relation, from key: LinkKey, to other: RowID?, _ run: BulkRun) {
    let map = store.maps[key.map]
    if relation.minimum > 0 {
      run.counted.insert(LinkKey(map: saver.declaring(map, relation), row: key.row, property: relation.property))
    }
    guard let other else { return }
    run.note(owner: other.number, relation.home)
    if relation.inverse != nil, store.judgedHomes.contains(relation.home) {
      run.neighbours.insert(LinkKey(map: relation.home, row: other.number, property: 0))
    }
    guard let inverse = relation.inverse,
      store.countedRelations[relation.target].contains(where: { $0.property == inverse })
    else { return }
    run.counted.insert(LinkKey(map: relation.target, row: other.number, property: inverse))
  }
  /// Records that rows are or were in a list, if their inverse lists have a limit on the number of
  /// members.
  func noteList(_ relation: Relation, _ rows: [RowID], before former: [RowID], run: BulkRun) {
    if relation.inverse != nil, store.judgedHomes.contains(relation.home) {
      for row in Set(rows).symmetricDifference(former) {
        run.neighbours.insert(LinkKey(map: relation.home, row: row.number, property: 0))
      }
    }
    guard let inverse = relation.inverse,
      store.countedRelations[relation.target].contains(where: { $0.property == inverse })
    else { return }
    func key(_ row: RowID) -> LinkKey { LinkKey(map: relation.target, row: row.number, property: inverse) }
    let staying = Set(rows)
    run.crowded.formUnion(staying.map(key))
    for row in former where !staying.contains(row) { run.counted.insert(key(row)) }
  }
}
