internal import RoostFile
internal import RoostRecords

/// Merges new objects whose unique values a row has already.
///
/// An attempt to save that finds such objects finds all of them and writes nothing. The save is
/// tried again after a decision about each of them. So a save without such objects is not slower,
/// and the program decides without holding a lock.
extension Saver {
  /// Handles a rejected row: another row has the object's unique values, or the object has another
  /// error.
  func collide(_ fault: RecordFault, _ object: any _ModelObject, origin: RowOrigin, run: SaveRun) {
    guard let other = like(fault, origin.map, writer: run.writer) else {
      // The row that has the partner may not be written yet. The next attempt parts the two.
      if run.isProbing, run.isShared, partnership(fault, origin.map) != nil { return }
      return run.refuse(refusal(fault, object, run: run))
    }
    if session.isSerial, run.news != nil, isNewer(other.row, origin.map, run: run) {
      let fault = GraphFault(
        .conflict, "another context stored an object with its unique values after this context had read",
        name: objects.name(object),
        property: fault.field)
      return run.refuse(fault)
    }
    // The values of the other row are read only if the program may get them in an error.
    let isAsked =
      switch uniquePolicy(of: origin.map) {
      case .always(.refuse), .asks: true
      default: false
      }
    collide(object, origin, other: other.row, run: run, fault: isAsked ? refusal(fault, object, run: run) : nil)
  }

  /// Records that a row has an object's unique values.
  func collide(
    _ object: any _ModelObject, _ origin: RowOrigin, other: RowID, run: SaveRun, fault: GraphFault? = nil
  ) {
    run.collisions.append(
      SaveRun.Collision(object: object, key: LinkKey(object, origin), row: other.number, fault: fault))
  }

  /// The unique indexes by which a new object is merged into a stored row without a decision: the
  /// policy calls no closure and throws no error, and all rows are of the object's class.
  func decidingIndexes(_ map: EntityMap) -> [IndexID] {
    switch uniquePolicy(of: map) {
    case .always(.refuse), .asks: return []
    default: if map.family != nil || session.isSerial { return [] }
    }
    // Two objects that reference the same partner are still different objects.
    let references = Set(
      store.relations[map.number].compactMap { relation in relation.flatMap { map.field($0.property)?.id } })
    return store.uniques(of: map).filter { $0.fields.isDisjoint(with: references) }.map(\.id)
  }

  /// Whether others inserted or changed a row after the shown snapshot.
  private func isNewer(_ row: RowID, _ map: EntityMap, run: SaveRun) -> Bool {
    if run.news?.contains(map.home, row.number) == true { return true }
    return (try? session.table(map).contains(row)) != true
  }

  /// The policy of the class, or of the nearest superclass that has its own.
  func uniquePolicy(of map: EntityMap) -> UniquePolicy {
    if uniquePolicies.isEmpty { return uniquePolicy }
    var next: _ModelType? = map.type
    while let type = next {
      if let number = store.map(of: type.model)?.number, let own = uniquePolicies[number] { return own }
      next = type.superType
    }
    return uniquePolicy
  }

  /// Whether a row is of exactly the object's class. It cannot be merged into a row of another
  /// class.
  func isAlike(_ other: RowName, _ map: EntityMap, writer: RecordWriter) -> Bool {
    guard let family = map.family else { return true }
    // A new object may have no row yet.
    if let known = objects.registered(store.maps[map.home], other.row), known._$state.flags.contains(.inserted) {
      return known.entityMap?.number == map.number
    }
    let number = try? writer.reading(other.entity).withRow(other.row) { (row) throws(StoreError) in
      family.map(of: row)
    }
    return (number ?? nil) == map.number
  }

  /// The row with the unique values of a rejected row, if the rejected object may be merged into
  /// it; nil if the rows have different classes or compete for a partner.
  func like(_ fault: RecordFault, _ map: EntityMap, writer: RecordWriter) -> RowName? {
    guard fault.code == .notUnique, fault.rows.count == 1, let other = fault.rows.first,
      isAlike(other, map, writer: writer), partnership(fault, map) == nil
    else { return nil }
    return other
  }

  /// Decides about the objects that an attempt found. Returns whether it called a closure of the
  /// program, which may have changed any object.
  func decide(_ run: SaveRun, _ book: inout DecisionBook) throws -> Bool {
    var isAsked = false
    var refused: [GraphFault] = []
    for key in run.lapsed { book.forget(key) }
    for (key, isNewer) in run.mistaken { book.decisions[key]?.isNewer = isNewer }
    for one in run.collisions {
      guard let origin = one.object._$state.origin as? RowOrigin else { continue }
      var policy = uniquePolicy(of: origin.map)
      let name = policy.name(origin.map.type)
      if case .asks(let choose) = policy {
        isAsked = true
        try follower.advance()
        let row = LinkKey(map: origin.map.home, row: run.row(origin.map.home, one.row), property: 0)
        let before = try uniqueValues(of: one.object, origin.map)
        let answer = try withExisting(row, origin.map, book: book) { try choose(one.object, $0) }
        guard let choice = answer else { continue }
        if choice != .refuse, try uniqueValues(of: one.object, origin.map) != before {
          // The closure changed its unique values. The next attempt finds out who has them now.
          book.forget(one.key)
          continue
        }
        book.note(choice, one.object, key: one.key, row: row)
        policy = .always(choice)
      }
      if case .always(.refuse) = policy {
        refused.append(
          one.fault ?? GraphFault(.notUnique, "another object has its unique values", name: objects.name(one.object)))
      } else {
        book.decisions[one.key] = SaveRun.Decision(row: one.row, policy: policy, name: name)
      }
    }
    if !refused.isEmpty { throw SaveRefusal(faults: refused) }
    return isAsked
  }

  /// Calls `body` with the object whose values a row will have; returns nil if there is none. If
  /// only its values that are not nil are taken, it gets the others from earlier objects during the
  /// call.
  private func withExisting<Result>(
    _ row: LinkKey, _ map: EntityMap, book: DecisionBook, body: (any _ModelObject) throws -> Result
  ) throws -> Result? {
    var all = (book.shown[row] ?? [])[...]
    guard let last = all.popLast() else { return try links.live(map.number, row.row).map(body) }
    if !last.isPartial { return try body(last.object) }
    var below: [any _ModelObject] = []
    var isWhole = false
    while !isWhole, let next = all.popLast() {
      below.append(next.object)
      isWhole = !next.isPartial
    }
    if !isWhole, let stored = try links.live(map.number, row.row) {
      if stored._$state.flags.contains(.fault), let origin = stored._$state.origin as? RowOrigin {
        objects.fill(stored, origin)
      }
      objects.makeValues(stored)
      below.append(stored)
    }
    let filled = last.object.fillNil(from: below)
    if filled.isEmpty { return try body(last.object) }
    let before = ValueImage(last.object)
    // The values from earlier objects are removed again, because the save may throw.
    defer {
      let after = ValueImage(last.object)
      for one in filled where after.isSame(one.property, as: before) {
        last.object._$fill(one.property, with: one.value)
      }
    }
    return try body(last.object)
  }

  /// Writes an object to the row that it is merged into; returns false if it has a row of its own.
  func merge(
    _ object: any _ModelObject, _ origin: RowOrigin, box: SinkBox, table: TableWriter, run: SaveRun
  ) throws -> Bool {
    guard let decision = run.decisions[LinkKey(object, origin)] else { return false }
    let row = run.row(origin.map.home, object._$state.row)
    guard let kept = try keepReferences(of: RowID(row), origin.map, box, table: table) else {
      // The row was deleted meanwhile. The object may get a row of its own, or be merged into
      // another one.
      run.lapsed.append(LinkKey(object, origin))
      return true
    }
    var merged: MergedRow?
    var isFirst = true
    try parting(object, origin, box: box, run: run) {
      // If it may not get its new partner, it keeps its current one.
      if !isFirst { try keepReferences(of: RowID(row), origin.map, box, table: table) }
      isFirst = false
      if store.backing != nil {
        // The backing store decided which row it is.
        try table.replace(RowID(row), with: &box.sink.builder)
        merged = MergedRow(row: row, isNew: false, choice: .upsert, fields: [])
      } else {
        merged = try mergeRow(object, origin.map, policy: decision.policy, box: box, table: table)
      }
    } refused: { fault in
      run.refuse(refusal(fault, object, run: run))
    }
    guard let merged else { return true }
    if merged.isNew {
      // A closure gave one of the two another value.
      run.lapsed.append(LinkKey(object, origin))
      return true
    }
    if merged.row != row {
      // Another row has the values now.
      collide(object, origin, other: RowID(merged.row), run: run)
      return true
    }
    run.note(origin.map.home, row)
    noteOutcome(merged.choice, LinkKey(object, origin), decision: decision, run: run)
    if merged.choice != .keepExisting {
      let isOwn = decision.policy.takesAll(merged.choice) && !kept.isAny
      // The row keeps its counts, so what is computed from them is not the object's.
      if !isOwn || store.chainedBits[origin.map.number] != 0 {
        try settleMixed(RowID(row), origin.map, writer: run.writer).forEach(run.refuse)
      }
      // The row keeps its lists in any case.
      noteMixed(LinkKey(map: origin.map.home, row: row, property: 0), origin.map, run: run)
    }
    let isAmongNew = objects.registered(origin.map, RowID(row))?._$state.flags.contains(.inserted) == true
    noteLeads(kept.before, box, origin: origin, run: run)
    if !decision.policy.takesAll(merged.choice) || kept.isAny { run.noteDifference(object) }
    run.summary.mergeCount += 1
    run.summary.merges.append(
      SaveOutcome.Merge(
        inserted: objects.name(object), existing: ObjectName(origin.map.type.name, row), choice: merged.choice,
        policy: decision.name, fields: merged.fields, isAmongNew: isAmongNew))
    return true
  }

  /// The references of a stored row before a new object is merged into it.
  struct KeptReferences {
    var before: [RowID?] = []
    /// Whether the new object leaves a reference as it is.
    var isAny = false
  }

  /// Keeps the row's references where the new object's are nil.
  ///
  /// - Returns: nil if the row does not exist.
  @discardableResult
  func keepReferences(
    of row: RowID, _ map: EntityMap, _ box: SinkBox, table: TableWriter
  ) throws -> KeptReferences? {
    try table.visit(row) { stored in
      var kept = KeptReferences()
      for case .some(let relation) in store.relations[map.number] {
        guard case .reference = relation.way else { continue }
        let slot = box.sink.plan.slot(relation.property)
        let now = table.layout.reference(stored.start, slot)
        kept.before.append(now)
        if let now, box.sink.builder.reference(slot) == nil {
          box.sink.builder.set(slot, reference: now)
          kept.isAny = true
        }
      }
      return kept
    }
  }
}
