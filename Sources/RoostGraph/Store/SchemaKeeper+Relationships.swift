internal import RoostRecords

/// Relationships that are missing in a catalog.
extension SchemaKeeper {
  func relationship(
    _ one: RelationshipPlan, _ model: ModelPlan, isNew: Bool, catalog: inout Catalog
  ) throws {
    let name = model.type.name
    guard let property = model.type.number(ofPath: one.name), property >= model.type.first else { return }
    let (root, field) = (model.type.root.name, model.type.fieldName(property))
    guard let target = models.first(where: { $0.type.name == one.target }), let entity = catalog.entity(root),
      let targetEntity = catalog.entity(target.type.root.name)
    else { throw RecordFault(.unknown, "\(one.target) is not among the models", entity: name, field: one.name) }
    let isThere = catalog.relationships.contains { $0.entity == entity.id && $0.name == field && !$0.isHidden }
    if isThere { return }
    try checkName(one, field, entity: entity, model: model)
    let other = try inverse(of: one, model, target)
    if one.isToMany {
      // The reference of the other side brings it along.
      if let other, !other.isToMany { return }
      try catalog.add(
        links: Catalog.Side(field, deleteRule: one.deleteRule, isOrdered: true), of: root, to: targetEntity.name,
        inverse: other.map {
          Catalog.Side(target.type.fieldName(ofPath: $0.name), deleteRule: $0.deleteRule, isOrdered: true)
        } ?? Catalog.Side())
      return
    }
    if let other, !other.isToMany, !holdsReference(one, name, other: other) { return }
    let isNeeded = isNeeded(one.name, model)
    // Rows of other classes lead nowhere by it; that those of this one do each save looks after.
    let isAdded = model.type.isAdded(property)
    if entity.field(field) == nil { try checkReference(property, model, isNew: isNew) }
    try catalog.change(entity: root) { (entity) throws(RecordFault) in
      if entity.field(field) == nil {
        try entity.add(field, .reference(targetEntity.id), isOptional: !isNeeded || isAdded)
      }
    }
    let side =
      other.map {
        Catalog.Side(
          target.type.fieldName(ofPath: $0.name), deleteRule: $0.deleteRule, isOrdered: $0.isToMany,
          isSingle: !$0.isToMany)
      } ?? Catalog.Side()
    try catalog.add(reference: field, of: root, deleteRule: one.deleteRule, inverse: side)
  }

  /// The other side; nil where there is none, or it is the same one, of which the store has nothing.
  private func inverse(of one: RelationshipPlan, _ model: ModelPlan, _ target: ModelPlan) throws -> RelationshipPlan? {
    let name = model.type.name
    guard let inverse = one.inverse, !one.isOwnInverse(of: name) else { return nil }
    let found = target.relationships.first { $0.name == inverse }
    guard let found, found.target == name, found.inverse == one.name,
      target.type.number(ofPath: inverse).map({ $0 >= target.type.first }) == true
    else {
      throw RecordFault(
        .conflict, "its inverse \(inverse) is not declared by \(one.target), or does not reference \(name)",
        entity: name,
        field: one.name)
    }
    return found
  }

  /// Of two references that are each other's inverse one stands in the row: the one that must lead somewhere, else the first
  /// by name.
  private func holdsReference(_ one: RelationshipPlan, _ name: String, other: RelationshipPlan) -> Bool {
    let needs = models.first { $0.type.name == name }.map { isNeeded(one.name, $0) } ?? false
    let otherNeeds = models.first { $0.type.name == one.target }.map { isNeeded(other.name, $0) } ?? false
    if needs != otherNeeds { return needs }
    return (name, one.name) < (one.target, other.name)
  }

  private func isNeeded(_ property: String, _ model: ModelPlan) -> Bool {
    for one in model.type.properties where one.name == property {
      if case .toOne(let link) = one.storage { return !link.isOptional }
    }
    return false
  }
}
