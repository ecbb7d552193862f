internal import RoostRecords

/// Writes the rows of a save: updates, deletions and insertions.
extension Saver {
  func update(_ run: SaveRun) throws {
    for object in changes.changed {
      let flags = object._$state.flags
      guard flags.contains(.changed), flags.isDisjoint(with: [.deleted, .inserted]),
        let origin = object._$state.origin as? RowOrigin
      else { continue }
      if run.news != nil, run.vanished.contains(LinkKey(object, origin)) { continue }
      try update(object, origin, run: run, mayWait: true)
    }
    try updateWaiting(run, mayWait: true)
  }

  /// Updates the rows that waited until other rows gave up their unique values, as long as that
  /// makes progress.
  func updateWaiting(_ run: SaveRun, mayWait: Bool = false) throws {
    var count = 0
    while !run.waiting.isEmpty, run.waiting.count != count {
      let waiting = run.waiting
      count = waiting.count
      run.waiting = []
      for object in waiting {
        guard let origin = object._$state.origin as? RowOrigin else { continue }
        try update(object, origin, run: run, mayWait: true)
      }
    }
    if mayWait { return }
    let waiting = run.waiting
    run.waiting = []
    for object in waiting { try loosen(object, run) }
    for object in waiting {
      guard let origin = object._$state.origin as? RowOrigin else { continue }
      try update(object, origin, run: run, mayWait: false)
    }
  }

  /// Clears an object's references that only one object may have. Objects that exchange their
  /// targets would otherwise wait for each other.
  private func loosen(_ object: any _ModelObject, _ run: SaveRun) throws {
    guard let origin = object._$state.origin as? RowOrigin else { return }
    let table = try run.writer.table(origin.map.entity.id)
    for case .some(let relation) in store.relations[origin.map.number] where !relation.isInverseList {
      guard case .reference = relation.way, run.writes(object, relation.property) else { continue }
      let slot = try table.slot(origin.map.type.fieldName(relation.property))
      if slot.nullBit >= 0 { try table.update(RowID(object._$state.row)) { builder in builder.setNull(slot) } }
    }
  }

  private func update(_ object: any _ModelObject, _ origin: RowOrigin, run: SaveRun, mayWait: Bool) throws {
    let row = RowID(object._$state.row)
    let mask = run.masks[ObjectIdentifier(object)] ?? object._$state.changed
    store.pending?.note(origin.map, row.number, changed: mask)
    if mask & ~store.outsideRows[origin.map.number] == 0, run.news == nil {
      // Only a list changed, which is stored in its members' rows or as links.
      return run.note(origin.map.home, row.number)
    }
    let box = sink(origin.map)
    let table = try run.writer.table(origin.map.entity.id)
    guard try table.read(row, into: &box.sink.builder) else {
      return run.refuse(GraphFault(.deleted, "the object was deleted by another context", name: objects.name(object)))
    }
    box.sink.failure = nil
    let before = run.isShared ? leads(box, origin) : []
    objects.makeValues(object, mask)
    let kept = try keptValues(object, origin, box: box, run: run)
    object._$encode(only: mask, into: &box.sink)
    for (slot, value) in kept { try box.sink.builder.set(slot, value) }
    if let failure = box.sink.failure { return run.refuse(refusal(failure, object, run: run)) }
    if hasChecks { check(object, origin.map, box: box, mask: mask, run: run) }
    if !run.isPlain { try lead(object, origin, mask: mask, box: box, run: run) }
    if run.isShared { noteLeads(before, box, origin: origin, run: run) }
    try parting(object, origin, box: box, run: run) {
      try table.replace(row, with: &box.sink.builder)
      run.note(origin.map.home, row.number)
      if run.isMixed(object, LinkKey(object, origin)) {
        try settleMixed(row, origin.map, writer: run.writer).forEach(run.refuse)
        noteMixed(LinkKey(object, origin), origin.map, run: run)
      }
    } waits: { fault in
      guard mayWait, fault.code == .notUnique, mayMakeRoom(fault, object, run: run) else { return false }
      run.waiting.append(object)
      return true
    } refused: { fault in
      run.refuse(refusal(fault, object, run: run))
    }
  }

  /// The values that a row holds in fields that this save must not change, although their
  /// properties' bit is written.
  private func keptValues(
    _ object: any _ModelObject, _ origin: RowOrigin, box: SinkBox, run: SaveRun
  ) throws -> [(RoostRecords.Slot, Value)] {
    var properties = run.kept.isEmpty ? [] : run.kept[ObjectIdentifier(object)] ?? []
    if object._$state.flags.contains(.invalid) {
      for property in object.refused.keys where origin.map.type.sharesBit(property) {
        // The slot needs a value, which is written with those that changed.
        if !object.hasValue(property) { object.giveDefault(property) }
        properties.append(property)
      }
    }
    if properties.isEmpty { return [] }
    let all = try objects.fields(origin.map)
    let table = try run.writer.table(origin.map.entity.id)
    let fields = properties.flatMap { all[$0] ?? [] }
    let values = try run.reading(origin.map).values(fields, of: RowID(object._$state.row), in: box.sink.builder)
    return try zip(fields, values).compactMap { id, value in
      try origin.map.entity.field(id).map { (try table.slot($0.name), value) }
    }
  }

  /// Whether the conflicting row will be changed or deleted too.
  private func mayMakeRoom(_ fault: RecordFault, _ object: any _ModelObject, run: SaveRun) -> Bool {
    guard let other = fault.rows.first, let map = store.map(of: other.entity) else { return false }
    if links.isDoomed(map.home, other.row.number) { return true }
    guard let known = objects.registered(map, other.row), known !== object else { return false }
    return known._$state.flags.isPending
  }

  func delete(_ run: SaveRun) throws {
    var rows: [Int: [RowID]] = [:]
    for object in changes.deletedObjects {
      guard let origin = object._$state.origin as? RowOrigin else { continue }
      rows[origin.map.home, default: []].append(RowID(object._$state.row))
    }
    if rows.isEmpty { return }
    try noteOwners(rows, run)
    let names = rows.sorted { $0.key < $1.key }.flatMap { number, ids in
      ids.map { RowName(store.maps[number].entity.id, $0) }
    }
    do {
      // Together, so that none of them forbids the deletion of another.
      let gone = try run.writer.deleteFollowingRules(names, staying: stayingRows)
      for name in gone.rows {
        guard let map = store.map(of: name.entity) else { continue }
        run.entry.deleted[map.home, default: []].append(name.row.number)
        run.gone.append(LinkKey(map: map.home, row: name.row.number, property: 0))
      }
      for loose in gone.loose {
        guard let map = store.map(of: loose.row.entity) else { continue }
        run.note(map.home, loose.row.row.number)
        noteLoose(LinkKey(map: map.home, row: loose.row.row.number, property: 0), run)
        // Fields of subclasses may always be nil, so the rows themselves allowed it.
        if store.needsReference(loose.field, map) {
          let field = map.entity.field(loose.field)?.name
          run.refuse(
            GraphFault.needed(self.objects.name(loose.row), property(field), other: self.objects.name(loose.gone)))
        }
      }
    } catch let fault as RecordFault { refusals(fault).forEach(run.refuse) }
  }

  /// Rows that `insert` restored, which no delete rule includes.
  private var stayingRows: Set<RowName> {
    Set(links.deletions.staying.map { RowName(store.maps[$0.map].entity.id, RowID($0.row)) })
  }

  func insert(_ run: SaveRun) throws {
    var last: (number: Int, table: TableWriter, box: SinkBox)?
    var deciding: (number: Int, indexes: [IndexID])?
    for object in changes.inserted {
      guard object._$state.flags.contains(.inserted), !object._$state.flags.contains(.deleted),
        let origin = object._$state.origin as? RowOrigin
      else { continue }
      if last?.number != origin.map.number {
        last = (origin.map.number, try run.writer.table(origin.map.entity.id), sink(origin.map))
      }
      guard let (_, table, box) = last else { continue }
      box.sink.clear()
      object._$encode(into: &box.sink)
      if let failure = box.sink.failure {
        run.refuse(refusal(failure, object, run: run))
        continue
      }
      if hasChecks { check(object, origin.map, box: box, mask: .max, run: run) }
      #if DEBUG
        readBack(object, origin.map, box: box).forEach(run.refuse)
      #endif
      if !run.isPlain {
        try lead(object, origin, mask: .max, box: box, run: run)
        if try merge(object, origin, box: box, table: table, run: run) { continue }
      }
      let row = RowID(object._$state.row)
      try parting(object, origin, box: box, run: run) {
        guard run.isProbing else { return try table.insert(&box.sink.builder, as: row) }
        if deciding?.number != origin.map.number { deciding = (origin.map.number, decidingIndexes(origin.map)) }
        if let other = try table.probe(&box.sink.builder, as: row, among: deciding?.indexes ?? []) {
          collide(object, origin, other: other, run: run)
        }
      } refused: { fault in
        collide(fault, object, origin: origin, run: run)
      }
    }
  }
}
