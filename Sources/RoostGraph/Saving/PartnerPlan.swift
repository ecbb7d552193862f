internal import RoostRecords

/// The partners in one-to-one relationships after a save that merges new objects.
///
/// The changes of such a save count one after the other: first those of objects that are not merged,
/// then the merges in the order in which the new objects were inserted. A later change takes a
/// partner from an earlier one, whose row then has none.
struct PartnerPlan {
  /// One end of a one-to-one relationship: a row's reference.
  struct End {
    var key: LinkKey
    var relation: Relation
    /// The map of the class that the relationship belongs to.
    var map: EntityMap
  }

  /// The ends that the save may change, with the partner's row; 0 for none.
  private(set) var ends: [LinkKey: (end: End, partner: UInt64)] = [:]

  mutating func set(_ end: End, partner: UInt64) { ends[end.key] = (end, partner) }
}

extension Saver {
  /// Finds out which partners the rows have after the merges of this attempt.
  func planPartners(_ run: SaveRun) throws {
    if run.decisions.isEmpty || !store.hasOneToOnes { return }
    var claims: [Claim] = []
    for object in changes.changed + changes.inserted { claims += try self.claims(object, run) }
    if claims.isEmpty { return }
    let restored = try restored(run)
    /// Claims of objects whose partner is a new object that is merged, and whose row does not take over
    /// the relationship.
    var waiting: [Claim] = []
    for claim in claims where !claim.isMerged {
      if claim.partner == 0 {
        let own = LinkKey(map: claim.end.key.map, row: claim.object._$state.row, property: claim.end.key.property)
        if restored.alone.contains(own) { try keep(claim.end, run) } else { try part(claim.end, run) }
      } else if let takes = try claim.new.flatMap({ try takes($0, claim.end.relation.inverse, run: run) }) {
        // If the partner's row takes over the relationship, it does so at its merge, below.
        try keep(claim.end, run)
        if !takes, claim.object._$state.flags.contains(.inserted) { waiting.append(claim) }
      } else {
        try pair(claim.end, claim.partner, run: run)
      }
    }
    for one in restored.pairs {
      if one.partner == 0 { try part(one.end, run) } else { try pair(one.end, one.partner, run: run) }
    }
    for claim in claims where claim.isMerged && claim.partner != 0 {
      guard try takes(claim.object, claim.end.relation.property, run: run) == true else { continue }
      if let new = claim.new, try takes(new, claim.end.relation.inverse, run: run) == false {
        waiting.append(claim)
      } else {
        try pair(claim.end, claim.partner, run: run)
      }
    }
    // Such an object gets the partner's row, unless that row has a partner already.
    for claim in waiting {
      if let other = other(claim.end, claim.partner), try partner(of: other, run) == 0 {
        try pair(claim.end, claim.partner, run: run)
      } else {
        try keep(claim.end, run)
      }
    }
  }

  /// A partner that an unsaved object references.
  private struct Claim {
    var object: any _ModelObject
    var isMerged: Bool
    /// The reference of the row that the object is written to.
    var end: PartnerPlan.End
    /// The row that the partner is written to; 0 for none.
    var partner: UInt64
    /// The partner's object, if it may be a new one.
    var new: (any _ModelObject)?
  }

  private func claims(_ object: any _ModelObject, _ run: SaveRun) throws -> [Claim] {
    let flags = object._$state.flags
    guard flags.isPending, flags.isDisjoint(with: [.deleted, .gone]), let origin = object._$state.origin as? RowOrigin
    else { return [] }
    var claims: [Claim] = []
    for case .some(let relation) in store.relations[origin.map.number]
    where relation.isOneToOne && (flags.contains(.inserted) || run.writes(object, relation.property)) {
      let key = LinkKey(object, origin)
      if run.vanished.contains(key) { return [] }
      let row = leads(object, relation)
      let known = row.flatMap { objects.registered(store.maps[relation.target], RowID($0)) }
      // `lead` and the delete rules clear references to deleted objects. The former partner has
      // changed too, and its claim ends the stored pair.
      if let row, try !lasts(row, known, relation: relation, run: run) { continue }
      let own = LinkKey(map: key.map, row: run.row(key.map, key.row), property: relation.property)
      claims.append(
        Claim(
          object: object, isMerged: run.decisions[key] != nil,
          end: PartnerPlan.End(key: own, relation: relation, map: origin.map),
          partner: row.map { run.row(relation.home, $0) } ?? 0, new: known))
    }
    return claims
  }

  /// Whether a row is there after the save.
  private func lasts(
    _ row: UInt64, _ known: (any _ModelObject)?, relation: Relation, run: SaveRun
  ) throws -> Bool {
    if isDeleted(row, known, relation: relation) { return false }
    if known?._$state.flags.contains(.inserted) == true || run.losesNothing { return true }
    return try run.writer.contains(RowID(row), store.maps[relation.target].entity.id)
  }

  private func isDeleted(_ row: UInt64, _ known: (any _ModelObject)?, relation: Relation) -> Bool {
    known?._$state.flags.contains(.deleted) == true || links.isDoomed(relation.home, row)
  }

  /// Pairs of stored objects that the program ended by giving one of the two to a new object, if the
  /// row of that new object does not take over the relationship. The save restores such a pair.
  ///
  /// - Returns: the objects that lost their partner in this way, and the pairs that are not stored.
  private func restored(
    _ run: SaveRun
  ) throws -> (alone: Set<LinkKey>, pairs: [(end: PartnerPlan.End, partner: UInt64)]) {
    var dropped: [LinkKey: (taking: LinkLedger.Taking, end: PartnerPlan.End)] = [:]
    for (key, taking) in links.ledger.takings {
      let taker = taking.taker
      guard let new = objects.registered(store.maps[taker.map], RowID(taker.row)),
        let end = end(taker, of: new), leads(new, end.relation) == key.row,
        let partner = objects.registered(store.maps[key.map], RowID(key.row)),
        partner._$state.flags.isDisjoint(with: [.deleted, .gone]), let own = self.end(key, of: partner),
        try takes(new, taker.property, run: run) == false
      else { continue }
      dropped[key] = (taking, own)
    }
    var alone: Set<LinkKey> = []
    for (taking, _) in dropped.values where taking.former != 0 {
      let key = LinkKey(map: taking.taker.map, row: taking.former, property: taking.taker.property)
      // If the program gave it another partner meanwhile, or deleted it, it has left this one.
      guard let former = objects.registered(store.maps[key.map], RowID(key.row)),
        former._$state.flags.isDisjoint(with: [.deleted, .gone]), let end = end(key, of: former),
        dropped[key] != nil || leads(former, end.relation) == nil
      else { continue }
      alone.insert(key)
    }
    var pairs: [(end: PartnerPlan.End, partner: UInt64)] = []
    for (key, one) in dropped where one.taking.isUnsaved && !alone.contains(key) {
      let (taker, former) = (one.taking.taker, one.taking.former)
      if former != 0, !alone.contains(LinkKey(map: taker.map, row: former, property: taker.property)) { continue }
      pairs.append((one.end, former))
    }
    // Always in one order, because a pair may take a partner from another.
    pairs.sort { ($0.end.key.map, $0.end.key.row) < ($1.end.key.map, $1.end.key.row) }
    return (alone, pairs)
  }

  private func end(_ key: LinkKey, of object: any _ModelObject) -> PartnerPlan.End? {
    guard let map = object.entityMap, let relation = store.relations[map.number][key.property] else { return nil }
    return PartnerPlan.End(key: key, relation: relation, map: map)
  }

  private func other(_ end: PartnerPlan.End, _ row: UInt64) -> PartnerPlan.End? {
    guard let inverse = end.relation.inverse, let back = store.relations[end.relation.target][inverse] else {
      return nil
    }
    let key = LinkKey(map: end.relation.home, row: row, property: inverse)
    return PartnerPlan.End(key: key, relation: back, map: store.maps[end.relation.target])
  }

  private func partner(of end: PartnerPlan.End, _ run: SaveRun) throws -> UInt64 {
    if let planned = run.partners.ends[end.key]?.partner { return planned }
    guard let row = try stored(end.key, end.relation, of: end.map, writer: run.writer).first else { return 0 }
    // A deletion in this save ends the pair.
    let known = objects.registered(store.maps[end.relation.target], RowID(row))
    return isDeleted(row, known, relation: end.relation) ? 0 : row
  }

  private func keep(_ end: PartnerPlan.End, _ run: SaveRun) throws {
    run.partners.set(end, partner: try partner(of: end, run))
  }

  private func part(_ end: PartnerPlan.End, _ run: SaveRun) throws {
    let former = try partner(of: end, run)
    if former != 0, let other = other(end, former) { run.partners.set(other, partner: 0) }
    run.partners.set(end, partner: 0)
  }

  private func pair(_ end: PartnerPlan.End, _ row: UInt64, run: SaveRun) throws {
    guard let other = other(end, row) else { return }
    if try partner(of: end, run) != row { try part(end, run) }
    if try partner(of: other, run) != end.key.row { try part(other, run) }
    run.partners.set(end, partner: row)
    run.partners.set(other, partner: end.key.row)
  }

  /// The planned partner of the row that an object is written to: 0 for none, nil if there is no plan.
  func plannedPartner(_ object: any _ModelObject, _ relation: Relation, origin: RowOrigin, run: SaveRun) -> UInt64? {
    guard relation.isOneToOne, !run.partners.ends.isEmpty else { return nil }
    let home = origin.map.home
    let key = LinkKey(map: home, row: run.row(home, object._$state.row), property: relation.property)
    return run.partners.ends[key]?.partner
  }

  /// Writes planned partners that the rows do not have yet: the steps before this one write the rows of
  /// changed objects only.
  func settlePartners(_ run: SaveRun) throws {
    if run.isBroken { return }
    var wrong: [(end: PartnerPlan.End, now: UInt64, partner: UInt64)] = []
    for (end, partner) in run.partners.ends.values {
      guard case .reference = end.relation.way, try run.writer.contains(RowID(end.key.row), end.map.entity.id) else {
        continue
      }
      let now = try stored(end.key, end.relation, of: end.map, writer: run.writer).first ?? 0
      if now != partner { wrong.append((end, now, partner)) }
    }
    wrong.sort {
      ($0.end.key.map, $0.end.key.row, $0.end.key.property) < ($1.end.key.map, $1.end.key.row, $1.end.key.property)
    }
    // First all become nil, because only one row may reference a partner.
    for one in wrong where one.now != 0 {
      if one.end.map.type.mayBeNil(one.end.relation.property) {
        try write(one.end, nil, former: one.now, run: run)
      } else if one.partner == 0 {
        let map = one.end.key.map
        let taker = other(one.end, one.now).flatMap { run.partners.ends[$0.key]?.partner } ?? one.end.key.row
        run.refuse(
          GraphFault.needsPartner(
            objects.name(LinkKey(map: map, row: taker, property: 0)),
            one.end.map.type.propertyName(one.end.relation.property),
            other: objects.name(LinkKey(map: map, row: one.end.key.row, property: 0)),
            target: objects.name(LinkKey(map: one.end.relation.home, row: one.now, property: 0))))
      }
    }
    for one in wrong where one.partner != 0 && !run.isBroken {
      do { try write(one.end, RowID(one.partner), former: one.now, run: run) } catch let fault as RecordFault {
        guard let object = objects.registered(one.end.map, RowID(one.end.key.row)) else { throw fault }
        run.refuse(refusal(fault, object, run: run))
      }
    }
  }

  private func write(_ end: PartnerPlan.End, _ partner: RowID?, former: UInt64, run: SaveRun) throws {
    let table = try run.writer.table(end.map.entity.id)
    let slot = try table.slot(end.map.type.fieldName(end.relation.property))
    let row = LinkKey(map: end.key.map, row: end.key.row, property: 0)
    try table.update(RowID(row.row)) { builder in
      if let partner { builder.set(slot, reference: partner) } else { builder.setNull(slot) }
    }
    run.note(row.map, row.row)
    run.parted.append(row)
    noteLoose(row, run)
    noteCounted(LinkKey(map: end.map.number, row: row.row, property: 0), end.relation.property, run: run)
    for other in [former, partner?.number ?? 0] where other != 0 {
      run.note(end.relation.home, other)
      run.parted.append(LinkKey(map: end.relation.home, row: other, property: 0))
      noteJoined(end.relation, [other], run: run)
    }
  }
}
