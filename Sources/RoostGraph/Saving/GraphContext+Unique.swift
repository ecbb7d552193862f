internal import RoostFile
internal import RoostRecords

/// New objects whose unique values a row has already.
///
/// An attempt to save that comes to such objects finds all of them, writes nothing, and is made again when it is known what
/// becomes of each. So a save without any of them is not slowed down, and whoever decides holds no lock.
extension GraphContext {
  /// A row was refused: the object is the same as another row's, or something else is wrong with it.
  func collide(_ fault: RecordFault, _ object: any _ModelObject, _ origin: RowOrigin, _ run: SaveRun) {
    guard fault.code == .notUnique, fault.rows.count == 1, let other = fault.rows.first, isAlike(other, origin, run),
      partnership(fault, origin) == nil
    else {
      return run.refuse(refusal(fault, object, run))
    }
    // What is there is only looked for where somebody may want to be told.
    let isAsked = uniqueChoice == .refuse || chooseUnique != nil
    let refusal =
      isAsked ? refusal(fault, object, run) : GraphFault(.notUnique, fault.detail, name(object), fault.field)
    run.collisions.append(
      SaveRun.Collision(object: object, key: key(object, origin), row: other.row.number, fault: refusal))
  }

  /// Whether a row is of the object's very class: another one's cannot become it.
  private func isAlike(_ other: RowName, _ origin: RowOrigin, _ run: SaveRun) -> Bool {
    guard let family = origin.map.family else { return true }
    let number = try? run.writer.reading(other.entity).withRow(other.row) { (row) throws(StoreError) in
      family.map(of: row)
    }
    return (number ?? nil) == origin.map.number
  }

  /// Decides what becomes of the objects that an attempt came to.
  func decide(_ run: SaveRun, _ decisions: inout [LinkKey: SaveRun.Decision]) throws {
    var refused: [GraphFault] = []
    for key in run.lapsed { decisions[key] = nil }
    for one in run.collisions {
      var choice = uniqueChoice
      if let chooseUnique, let origin = one.object._$state.origin as? RowOrigin {
        try advance()
        guard let existing = try live(origin.map.number, run.row(origin.map.home, one.row)) else { continue }
        choice = try chooseUnique(one.object, existing)
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
    let before = try keepReferences(of: RowID(row), origin, box, table)
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
      noteLeads(before, box, origin, run)
      run.summary.merges.append(
        SaveSummary.Merge(
          inserted: name(object), existing: ObjectName(origin.map.type.name, row), choice: decision.choice))
    } catch let fault as RecordFault { run.refuse(refusal(fault, object, run)) }
    return true
  }

  /// A relationship of the new object that leads nowhere leaves the row's as it is: nothing was said of it.
  private func keepReferences(
    of row: RowID, _ origin: RowOrigin, _ box: SinkBox, _ table: TableWriter
  ) throws -> [RowID?] {
    var before: [RowID?] = []
    for case .some(let relation) in store.relations[origin.map.number] {
      guard case .reference = relation.way, let field = origin.map.field(relation.property) else { continue }
      let slot = try table.slot(field.name)
      let now = try table.reference(slot, of: row)
      before.append(now)
      if let now, box.sink.builder.reference(slot) == nil { box.sink.builder.set(slot, reference: now) }
    }
    return before
  }
}
