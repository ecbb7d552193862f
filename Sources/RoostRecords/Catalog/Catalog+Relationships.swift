/// Adds, changes and removes relationships. Both sides are always added and removed together.
extension Catalog {
  package func relationship(_ id: RelationshipID) -> Relationship? { relationships.first { $0.id == id } }
  package func relationships(of id: EntityID) -> [Relationship] { relationships.filter { $0.entity == id } }

  package func relationship(_ name: String, of entityName: String) throws(RecordFault) -> Relationship {
    let entity = try known(entityName)
    guard let found = relationships.first(where: { $0.entity == entity.id && $0.name == name && !$0.isHidden }) else {
      throw RecordFault(.unknown, "there is no relationship named \(name)", entity: entityName)
    }
    return found
  }

  /// The other side of a relationship of this catalog.
  package func inverse(of one: Relationship) -> Relationship? { relationship(one.inverse) }

  /// One side of a relationship, as the models describe it.
  package struct Side {
    /// Nil if the models do not declare this side. The catalog has it anyway, because deletions
    /// search it.
    package var name: String?
    package var deleteRule: Relationship.DeleteRule
    package var isOrdered: Bool
    /// For rows that are found by their reference: at most one row refers to the same row.
    package var isSingle: Bool

    package init(
      _ name: String? = nil, deleteRule: Relationship.DeleteRule = .nullify, isOrdered: Bool = false,
      isSingle: Bool = false
    ) {
      self.name = name
      self.deleteRule = deleteRule
      self.isOrdered = isOrdered
      self.isSingle = isSingle
    }
  }

  // MARK: By reference

  /// Makes a field that refers to another entity a relationship. The inverse contains the rows that
  /// refer to a row.
  ///
  /// The inverse is read from an index on the field. An index is added if the field has none of its
  /// own.
  @discardableResult
  package mutating func add(
    reference fieldName: String, of entityName: String, deleteRule: Relationship.DeleteRule = .nullify,
    inverse: Side = Side(), isChecked: Bool = true
  ) throws(RecordFault) -> RelationshipID {
    let entity = try known(entityName)
    guard let field = entity.field(fieldName) else {
      throw RecordFault(.unknown, "there is no such field", entity: entityName, field: fieldName)
    }
    guard case .reference(let targetID) = field.type, let target = self.entity(targetID) else {
      throw RecordFault(.wrongType, "the field refers to no entity", entity: entityName, field: fieldName)
    }
    guard !relationships.contains(where: { $0.entity == entity.id && $0.shape == .one(field.id) }) else {
      throw RecordFault(.conflict, "the field is a relationship already", entity: entityName, field: fieldName)
    }
    let isLoop = entity.id == target.id
    try checkNames(fieldName, entity, inverse: isLoop && inverse.name == fieldName ? nil : inverse.name, target: target)
    guard !isLoop || inverse.name != fieldName else {
      throw RecordFault(.conflict, "a reference is not its own inverse", entity: entityName, field: fieldName)
    }
    guard !(inverse.isSingle && inverse.isOrdered) else {
      throw RecordFault(.conflict, "a single row has no order", entity: target.name, field: inverse.name)
    }
    let fits = indexes.first { index in
      index.entity == entity.id && index.parts == [Index.Part(field.id)] && index.tests.isEmpty
        && index.isUnique == inverse.isSingle && index.builtBelow == nil
    }
    var traits: Relationship.Traits = isChecked ? [] : .unchecked
    let index: IndexID
    if let fits {
      index = fits.id
    } else {
      traits.insert(.ownsIndex)
      index = try add(index: "@" + fieldName, of: entityName, on: [fieldName], isUnique: inverse.isSingle)
    }
    let id = takeNumber()
    let other = takeNumber()
    relationships.append(
      Relationship(
        id: id, entity: entity.id, name: fieldName, target: target.id, shape: .one(field.id), inverse: other,
        deleteRule: deleteRule, traits: traits, index: index))
    relationships.append(
      Relationship(
        id: other, entity: target.id, name: inverse.name ?? "", target: entity.id,
        shape: .manyByReference(entity.id, field.id), inverse: id, deleteRule: inverse.deleteRule,
        traits: Self.traits(inverse), index: index))
    return id
  }

  // MARK: By links

  /// Adds a many-to-many relationship, which has a tree of links.
  ///
  /// - Parameter repeats: whether the same two rows may be linked more than once.
  @discardableResult
  package mutating func add(
    links side: Side, of entityName: String, to targetName: String, inverse: Side = Side(), repeats: Bool = false
  ) throws(RecordFault) -> RelationshipID {
    let entity = try known(entityName)
    let target = try known(targetName)
    guard let name = side.name, entity.id != target.id || name != inverse.name else {
      throw RecordFault(.conflict, "both sides of links need a name of their own", entity: entityName)
    }
    try checkNames(name, entity, inverse: inverse.name, target: target)
    guard !repeats || side.isOrdered || inverse.isOrdered else {
      throw RecordFault(.conflict, "links that repeat need an order", entity: entityName, field: name)
    }
    let id = takeNumber()
    let other = takeNumber()
    let repeating: Relationship.Traits = repeats ? .repeating : []
    relationships.append(
      Relationship(
        id: id, entity: entity.id, name: name, target: target.id, shape: .links, inverse: other,
        deleteRule: side.deleteRule, traits: Self.traits(side).union(repeating), index: nil))
    relationships.append(
      Relationship(
        id: other, entity: target.id, name: inverse.name ?? "", target: entity.id, shape: .links, inverse: id,
        deleteRule: inverse.deleteRule, traits: Self.traits(inverse).union(repeating), index: nil))
    return id
  }

  // MARK: Changing

  /// Gives one side another name or delete rule. A hidden side that gets a name becomes visible.
  package mutating func change(
    relationship id: RelationshipID, name: String? = nil, deleteRule: Relationship.DeleteRule? = nil
  ) throws(RecordFault) {
    guard let at = relationships.firstIndex(where: { $0.id == id }) else {
      throw RecordFault(.unknown, "there is no relationship with the number \(id.number)")
    }
    if let name, name != relationships[at].name {
      guard let entity = entity(relationships[at].entity) else { return }
      try checkName(name, entity)
      relationships[at].name = name
      relationships[at].traits.remove(.hidden)
    }
    if let deleteRule { relationships[at].deleteRule = deleteRule }
  }

  /// Notes that non-optional references to lost rows exist.
  package mutating func tear(relationship id: RelationshipID) {
    guard let at = relationships.firstIndex(where: { $0.id == id }) else { return }
    relationships[at].traits.insert(.torn)
  }

  /// Removes both sides with their links. References stay in their fields, without the index made
  /// for them.
  package mutating func remove(relationship name: String, of entityName: String) throws(RecordFault) {
    let one = try relationship(name, of: entityName)
    let sides = relationships.filter { $0.id == one.id || $0.id == one.inverse }
    relationships.removeAll { $0.id == one.id || $0.id == one.inverse }
    for side in sides where side.traits.contains(.ownsIndex) { indexes.removeAll { $0.id == side.index } }
    dropTornDerivations()
  }

  private func known(_ name: String) throws(RecordFault) -> Entity {
    guard let entity = entity(name) else { throw RecordFault(.unknown, "there is no such entity", entity: name) }
    return entity
  }

  private mutating func takeNumber() -> RelationshipID {
    defer { next.relationship += 1 }
    return RelationshipID(next.relationship)
  }

  private static func traits(_ side: Side) -> Relationship.Traits {
    var traits: Relationship.Traits = []
    if side.name == nil { traits.insert(.hidden) }
    if side.isOrdered { traits.insert(.ordered) }
    if side.isSingle { traits.insert(.single) }
    return traits
  }

  private func checkNames(
    _ name: String, _ entity: Entity, inverse: String?, target: Entity
  ) throws(RecordFault) {
    try checkName(name, entity)
    if let inverse { try checkName(inverse, target) }
  }

  private func checkName(_ name: String, _ entity: Entity) throws(RecordFault) {
    if name.isEmpty || relationships.contains(where: { $0.entity == entity.id && $0.name == name }) {
      throw RecordFault(
        .conflict, "there already is a relationship of this name, or the name is empty", entity: entity.name,
        field: name)
    }
  }
}

extension Catalog {
  /// Whether the relationships in a file keep their invariants.
  var relationshipsAgree: Bool {
    var known: [RelationshipID: Relationship] = [:]
    for one in relationships {
      guard one.id.number < next.relationship, known.updateValue(one, forKey: one.id) == nil else { return false }
    }
    return relationships.allSatisfy { one in
      guard let other = known[one.inverse], other.id != one.id, other.inverse == one.id, other.target == one.entity,
        other.entity == one.target, let entity = entity(one.entity), self.entity(one.target) != nil
      else { return false }
      switch (one.shape, other.shape) {
      case (.links, .links): return one.index == nil && one.traits.isDisjoint(with: [.single, .ownsIndex])
      case (.one(let field), .manyByReference(let owner, let same)):
        guard owner == one.entity, same == field, one.index == other.index,
          entity.field(field)?.type == .reference(one.target), !one.isOrdered,
          let index = indexes.first(where: { $0.id == one.index })
        else { return false }
        return index.entity == one.entity && index.parts == [Index.Part(field)] && index.tests.isEmpty
      case (.manyByReference, .one): return !(one.isOrdered && one.traits.contains(.single))
      default: return false
      }
    }
  }
}
