internal import RoostFile
internal import RoostRecords

/// New objects whose unique values a row has already.
///
/// An attempt to save that comes to such objects finds all of them, writes nothing, and is made again when it is known what
/// becomes of each. So a save without any of them is not slowed down, and whoever decides holds no lock.
extension GraphContext {
  /// A row was refused: the object is the same as another row's, or something else is wrong with it.
  func collide(_ fault: RecordFault, _ object: any _ModelObject, _ origin: RowOrigin, _ run: SaveRun) throws {
    let refusal = refusal(fault, object, run)
    guard fault.code == .notUnique, fault.rows.count == 1, let other = fault.rows.first else {
      return run.refuse(refusal)
    }
    // A row stays of its class.
    if origin.map.family != nil, try isOther(than: origin.map, other.row, run) { return run.refuse(refusal) }
    run.collisions.append(
      SaveRun.Collision(object: object, key: key(object, origin), row: other.row.number, fault: refusal))
  }

  private func isOther(than map: EntityMap, _ row: RowID, _ run: SaveRun) throws -> Bool {
    // One that is new in this save has no row yet that could be read.
    if let known = registered(store.maps[map.home], row) { return known.entityMap !== map }
    let number = try run.reading(map).withRow(row) { (row) throws(StoreError) in map.family?.map(of: row) }
    return number.map { $0 != map.number } ?? false
  }

  /// Decides what becomes of the objects that an attempt came to.
  func decide(_ run: SaveRun, _ decisions: inout [LinkKey: SaveRun.Decision]) throws {
    var refused: [GraphFault] = []
    for key in run.lapsed { decisions[key] = nil }
    for one in run.collisions {
      var choice = uniqueChoice
      if let chooseUnique, let origin = one.object._$state.origin as? RowOrigin {
        try advance()
        choice = try chooseUnique(one.object, origin.object(run.row(origin.map.home, one.row)))
      }
      if choice == .refuse {
        refused.append(one.fault)
      } else {
        decisions[one.key] = SaveRun.Decision(row: one.row, choice: choice)
      }
    }
    if !refused.isEmpty { throw SaveRefusal(faults: refused) }
  }

  /// Writes an object to the row that it becomes; false where it is one of its own.
  func merge(
    _ object: any _ModelObject, _ origin: RowOrigin, _ box: SinkBox, _ table: TableWriter, _ run: SaveRun
  ) throws -> Bool {
    guard let decision = run.decisions[key(object, origin)] else { return false }
    let row = run.row(origin.map.home, object._$state.row)
    guard try run.writer.contains(RowID(row), origin.map.entity.id) else {
      // Somebody deleted it meanwhile; then the object may get a row of its own, or become another one.
      run.lapsed.append(key(object, origin))
      return true
    }
    try keepReferences(of: RowID(row), origin, box, table)
    do {
      let policy: UpsertPolicy =
        switch decision.choice {
        case .upsert, .refuse: .replace
        case .keepExisting: .keepExisting
        case .mergeNonNil: .mergeNonNil
        }
      let (found, outcome) = try table.upsert(&box.sink.builder, policy)
      if found.number != row || outcome == .inserted {
        // Another row has the values now.
        run.collisions.append(
          SaveRun.Collision(
            object: object, key: key(object, origin), row: found.number,
            fault: GraphFault(.notUnique, "another object has its unique values", name(object))))
        return true
      }
      run.note(origin.map.home, row)
      run.summary.merges.append(
        SaveSummary.Merge(
          inserted: name(object), existing: ObjectName(origin.map.type.name, row), choice: decision.choice))
    } catch let fault as RecordFault { run.refuse(refusal(fault, object, run)) }
    return true
  }

  /// A relationship of the new object that leads nowhere leaves the row's as it is: nothing was said of it.
  private func keepReferences(of row: RowID, _ origin: RowOrigin, _ box: SinkBox, _ table: TableWriter) throws {
    let entity = origin.map.entity
    var kept: [(slot: RoostRecords.Slot, row: RowID)] = []
    for case .some(let relation) in store.relations[origin.map.number] {
      guard case .reference = relation.way, let field = entity.field(origin.map.type.fieldName(relation.property))
      else { continue }
      let slot = try table.slot(field.name)
      if box.sink.builder.reference(slot) != nil { continue }
      if let now = try table.reference(slot, of: row) { kept.append((slot, now)) }
    }
    for (slot, row) in kept { box.sink.builder.set(slot, reference: row) }
  }
}
