internal import RoostRecords

/// Adds missing relationships, and changes those that the store has in another form.
extension SchemaKeeper {
  mutating func relationships(_ newcomers: [_ModelType], _ catalog: inout Catalog) throws {
    let pairs = try RelationshipPair.all(models)
    try part(pairs, &catalog)
    for pair in pairs {
      let (one, other) = (pair.one.stored(catalog), pair.other?.stored(catalog))
      try checkJoined(pair, one, other: other)
      for end in pair.ends where end.stored(catalog) == nil { try checkKind(end, &catalog) }
      if one == nil, other == nil {
        try add(pair, isNew: { end in newcomers.contains { $0 === end.model.type } }, &catalog)
      } else {
        try adapt(pair, one, other: other, catalog: &catalog)
      }
    }
  }

  // MARK: New ones

  /// Adds a relationship that the store does not have in any form.
  @discardableResult
  private mutating func add(
    _ pair: RelationshipPair, isNew: (RelationshipEnd) -> Bool = { _ in true }, _ catalog: inout Catalog
  ) throws -> Relationship? {
    if let holder = pair.holder {
      let isOne = holder.model.type === pair.one.model.type && holder.property == pair.one.property
      let other = isOne ? pair.other : pair.one
      guard let target = catalog.id(of: isOne ? pair.target : pair.one.entity) else { return nil }
      var isOptional = holder.isOptionalField
      if catalog.entity(holder.entity)?.field(holder.name) == nil {
        // Rows of other classes have no reference. Each save checks that rows of this class have
        // one.
        if holder.isNeeded, try !isNew(holder) && !checkReference(holder) { isOptional = true }
        try catalog.change(entity: holder.entity) { (entity) throws(RecordFault) in
          let id = try entity.add(holder.name, .reference(target), isOptional: isOptional)
          entity.setNeeded(holder.isNeeded && holder.model.type.isAdded(holder.property), of: id)
        }
      }
      try catalog.add(
        reference: holder.name, of: holder.entity, deleteRule: holder.plan.deleteRule,
        inverse: other?.side ?? Catalog.Side())
    } else {
      try catalog.add(
        links: pair.one.side, of: pair.one.entity, to: pair.target, inverse: pair.other?.side ?? Catalog.Side())
    }
    // The lists that it had when it was a side of another relationship.
    for end in pair.ends {
      guard let from = parted[PropertyName(entity: end.entity, property: end.name)], let to = end.stored(catalog) else {
        continue
      }
      work.copies.append(RowWork.Copy(from: from, to: to.id, isLast: false, fault: tooMany(end)))
    }
    return pair.one.stored(catalog)
  }

  /// Throws if a new relationship is required and stored objects have no target. In a stage, code
  /// sets it later, and this returns false.
  private mutating func checkReference(_ end: RelationshipEnd) throws -> Bool {
    guard try filled(end.model) != nil else { return true }
    if isStaged {
      note(end.model, end.plan.name)
      return false
    }
    throw MigrationFault(
      end.model.type.name, end.plan.name,
      detail:
        "the relationship is new, and the store has objects without one: make it optional, or fill it in a custom stage of a "
        + "migration plan")
  }

  /// Throws if the store has a value with the name of a relationship.
  private mutating func checkKind(_ end: RelationshipEnd, _ catalog: inout Catalog) throws {
    guard let entity = catalog.entity(end.entity) else { return }
    let known = entity.fields.first { $0.name == end.name || $0.name.hasPrefix(end.name + ".") }
    guard let known else { return }
    // A reference without a relationship becomes a relationship again.
    if case .reference = known.type { return }
    let has = known.name == end.name ? "\(known.type)" : "a struct"
    try changedType(
      end.model, end.plan.name, has: has, wants: "a relationship to \(end.plan.target)",
      parked: [(end.name, end.entity)], catalog: &catalog)
  }

  // MARK: Existing relationships

  /// Separates relationships whose two sides are no longer each other's inverse. The reference, or
  /// the first side of links, stays as it is. The other side becomes a relationship of its own with
  /// the same members.
  private mutating func part(_ pairs: [RelationshipPair], _ catalog: inout Catalog) throws {
    var places: [RelationshipID: Int] = [:]
    for (place, pair) in pairs.enumerated() {
      for end in pair.ends { if let id = end.stored(catalog)?.id { places[id] = place } }
    }
    for one in catalog.relationships where one.id < one.inverse {
      guard let first = places[one.id], let second = places[one.inverse], first != second,
        let other = catalog.inverse(of: one)
      else { continue }
      var leaver = other
      if case .one = other.shape { leaver = one }
      guard let entity = catalog.name(of: leaver.entity) else { continue }
      parted[PropertyName(entity: entity, property: leaver.name)] = leaver.id
      catalog.hide(relationship: leaver.id)
      if leaver.traits.contains(.single) { try catalog.set(relationship: leaver.id, isSingle: false) }
    }
  }

  /// Throws if two stored relationships would become one. A side that was separated from its
  /// inverse counts too.
  private func checkJoined(_ pair: RelationshipPair, _ one: Relationship?, other: Relationship?) throws {
    func isParted(_ end: RelationshipEnd) -> Bool {
      parted[PropertyName(entity: end.entity, property: end.name)] != nil
    }
    guard let end = pair.other, one != nil || isParted(pair.one), other != nil || isParted(end) else { return }
    if let one, one.inverse == other?.id { return }
    throw joined(pair)
  }

  /// Changes a stored relationship to the form that the models declare.
  private mutating func adapt(
    _ pair: RelationshipPair, _ one: Relationship?, other: Relationship?, catalog: inout Catalog
  ) throws {
    guard let mine = one ?? other.flatMap({ catalog.inverse(of: $0) }), let theirs = catalog.inverse(of: mine) else {
      return
    }
    let target = catalog.id(of: pair.target)
    if mine.target != target || mine.entity != catalog.id(of: pair.one.entity) {
      let (end, known) = one == nil ? (pair.other ?? pair.one, theirs) : (pair.one, mine)
      let has = "a relationship to \(catalog.name(of: known.target) ?? "another model")"
      return try replace(
        pair, end, has: has, wants: "one to \(end.plan.target)", mine: mine, theirs: theirs, catalog: &catalog)
    }
    for (end, side) in [(pair.one, mine)] + (pair.other.map { [($0, theirs)] } ?? []) where try !checkTargets(end, side)
    {
      return try replace(
        pair, end, has: "a relationship to other classes", wants: "one to \(end.plan.target)", mine: mine,
        theirs: theirs,
        catalog: &catalog)
    }
    // A list would lose members. A list without an order is a reference whose inverse the program
    // did not name meanwhile.
    for (end, side) in [(pair.one, mine)] + (pair.other.map { [($0, theirs)] } ?? []) {
      if !end.isToMany, !side.isToOne, side.isOrdered, side.name == end.name {
        return try replace(
          pair, end, has: "a list", wants: "a to-one relationship", mine: mine, theirs: theirs, catalog: &catalog)
      }
    }
    let wantsSingle = pair.other.map { !$0.isToMany } ?? false
    switch (mine.shape, theirs.shape) {
    case (.one, _) where !pair.one.isToMany:
      if theirs.isToOne != wantsSingle, !isReadOnly { try catalog.set(relationship: theirs.id, isSingle: wantsSingle) }
    case (_, .one) where wantsSingle:
      if mine.isToOne == pair.one.isToMany { try catalog.set(relationship: mine.id, isSingle: !pair.one.isToMany) }
    case (.links, .links) where pair.one.isToMany && !wantsSingle && isInOrder(pair, mine, theirs: theirs): break
    // The program no longer names the reference, which stays in the file.
    case (.manyByReference, _) where pair.other == nil:
      if mine.isToOne, pair.one.isToMany, !isReadOnly { try catalog.set(relationship: mine.id, isSingle: false) }
    default: return try rebuild(pair, mine, theirs: theirs, catalog: &catalog)
    }
    try settle(pair.one, mine.id, catalog: &catalog)
    if let other = pair.other { try settle(other, theirs.id, catalog: &catalog) }
  }

  /// Whether links keep the order of each list that has a property.
  private func isInOrder(_ pair: RelationshipPair, _ mine: Relationship, theirs: Relationship) -> Bool {
    mine.isOrdered && (pair.other == nil || theirs.isOrdered)
  }

  /// Sets name, order, delete rule and optionality of a side that is stored in the right form.
  private mutating func settle(_ end: RelationshipEnd, _ id: RelationshipID, catalog: inout Catalog) throws {
    guard let side = catalog.relationship(id) else { return }
    if side.name != end.name {
      if case .one = side.shape {
        try catalog.rename([side.name: end.name], of: end.entity)
      } else {
        try catalog.change(relationship: id, name: end.name)
      }
    }
    if side.deleteRule != end.plan.deleteRule, !isReadOnly {
      try catalog.change(relationship: id, deleteRule: end.plan.deleteRule)
    }
    if case .manyByReference = side.shape, end.isToMany, !side.isOrdered { catalog.order(relationship: id) }
    guard case .one(let number) = side.shape, let field = catalog.entity(end.entity)?.field(number) else { return }
    let isNeeded = end.isNeeded && end.model.type.isAdded(end.property)
    defer { catalog.setNeeded(isNeeded, field: number, of: end.entity) }
    if field.isOptional == end.isOptionalField, field.isNeeded || !isNeeded { return }
    let isLoosened = end.isOptionalField && !field.isOptional
    if isReadOnly, try isLoosened || rows(without: field, end.model) == 0 { return }
    if isLoosened { return try allowNil(field, of: end.entity, catalog: &catalog) }
    let count = try rows(without: field, end.model)
    try checkNil(field, end.model, property: end.plan.name, cure: "give each object one")
    // In stages, rows without a target stay so until they get one.
    if count == 0, !isNeeded {
      try catalog.set(field: number, of: end.entity, isOptional: false, initial: field.initial)
    }
  }

  /// Stores a relationship in another form, which changes rows and links.
  private mutating func rebuild(
    _ pair: RelationshipPair, _ mine: Relationship, theirs: Relationship, catalog: inout Catalog
  ) throws {
    try retire(mine, theirs, as: Self.retired, catalog: &catalog)
    guard let new = try add(pair, &catalog) else { return }
    work.copies.append(RowWork.Copy(from: mine.id, to: new.id, isLast: true, fault: tooMany(pair.one)))
  }

  /// Stores a relationship with a changed type anew, if a migration plan will set it.
  private mutating func replace(
    _ pair: RelationshipPair, _ end: RelationshipEnd, has: String, wants: String, mine: Relationship,
    theirs: Relationship, catalog: inout Catalog
  ) throws {
    try changedType(end.model, end.plan.name, has: has, wants: wants, catalog: &catalog)
    for end in pair.ends { note(end.model, end.plan.name) }
    try retire(mine, theirs, as: "@parked ", catalog: &catalog)
    try add(pair, isNew: { _ in false }, &catalog)
  }

  /// Gives both sides names that no property has.
  private mutating func retire(
    _ mine: Relationship, _ theirs: Relationship, as kind: String, catalog: inout Catalog
  ) throws {
    for side in [mine, theirs] where !side.isHidden {
      guard let entity = catalog.name(of: side.entity) else { continue }
      try park(side.name, of: entity, as: String(kind.dropLast()), catalog: &catalog)
    }
  }

  private func tooMany(_ end: RelationshipEnd) -> MigrationFault {
    MigrationFault(
      end.model.type.name, end.plan.name,
      detail:
        "the store has an object in more than one list, and the models let it be in one: remove it from the others with the "
        + "models of the old version, or in a custom stage of a migration plan")
  }

  private func joined(_ pair: RelationshipPair) -> MigrationFault {
    MigrationFault(
      pair.one.model.type.name, pair.one.plan.name,
      detail:
        "the store has it and \(pair.other?.plan.name ?? "") of \(pair.one.plan.target) as two relationships, and the models make "
        + "them each other's inverse: give one of them a new name, and join them in a custom stage of a migration plan")
  }
}
