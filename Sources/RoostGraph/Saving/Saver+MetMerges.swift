internal import RoostRecords

/// Finds the objects whose `validate` saw a new object and the row that it is merged into as two
/// objects. The errors of these calls say nothing about the result, so the rows are validated
/// instead.
extension Saver {
  /// The errors of `validate` that hold for the rows that an attempt writes.
  func lastingJudgement(_ run: SaveRun) throws -> [GraphFault] {
    if judged.isEmpty { return [] }
    let replaced = Set(metMerges(run).map { ObjectIdentifier($0) })
    return judged.filter { !replaced.contains($0.object) }.map(\.fault)
  }

  /// The validated objects that reference a merged new object or its row, or show one in a list, and
  /// the objects of these rows. The merges are those of this attempt, and those that it found for the
  /// next one.
  ///
  /// Lists that are not loaded are not read: `validate` has not read them either.
  func metMerges(_ run: SaveRun) -> [any _ModelObject] {
    if store.judgedHomes.isEmpty || store.backing != nil { return [] }
    var merges = run.decisions.keys.map { (new: $0, row: run.row($0.map, $0.row)) }
    for one in run.collisions {
      // Without a merge both objects stay.
      if let map = one.object.entityMap, case .always(.refuse) = uniquePolicy(of: map) { continue }
      merges.append((one.key, one.row))
    }
    if merges.isEmpty { return [] }
    var new: Set<LinkKey> = []
    /// By home map, the rows of both objects of each merge.
    var rows: [Int: Set<UInt64>] = [:]
    for merge in merges {
      new.insert(merge.new)
      rows[merge.new.map, default: []].formUnion([merge.new.row, merge.row])
    }
    let pending = (changes.changed + changes.inserted).filter(\.isPending)
    let unchanged = neighbours.compactMap { objects.registered(store.maps[$0.map], RowID($0.row)) }
    return (pending + unchanged).filter { object in
      guard let origin = object._$state.origin as? RowOrigin, origin.map.type.judge != nil,
        !object._$state.flags.contains(.deleted)
      else { return false }
      let key = LinkKey(object, origin)
      if new.contains(key) { return false }
      return rows[key.map]?.contains(key.row) == true || shows(rows, object, of: origin)
    }
  }

  private func shows(_ rows: [Int: Set<UInt64>], _ object: any _ModelObject, of origin: RowOrigin) -> Bool {
    for case .some(let relation) in store.relations[origin.map.number] {
      guard let wanted = rows[relation.home] else { continue }
      if !relation.isList {
        if leads(object, relation).map(wanted.contains) == true { return true }
        continue
      }
      let key = LinkKey(object, origin, property: relation.property)
      if links.ledger.lists[key]?.rows.contains(where: wanted.contains) == true { return true }
      if links.ledger.edits[key]?.added.contains(where: wanted.contains) == true { return true }
    }
    return false
  }
}
