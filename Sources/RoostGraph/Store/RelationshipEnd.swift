internal import RoostRecords

/// One side of a relationship, as the models declare it.
package struct RelationshipEnd {
  package let model: ModelPlan
  package let plan: RelationshipPlan
  package let property: Int

  /// The entity that has the side, and the side's name there.
  package var entity: String { model.type.root.name }
  package var name: String { model.type.fieldName(property) }
  package var isToMany: Bool { plan.isToMany }
  /// Whether the reference is required.
  package var isNeeded: Bool { !plan.isToMany && !model.type.mayBeNil(property) }
  /// Whether the reference may be nil in rows: it is nil in rows of other classes and in unloaded
  /// ones.
  var isOptionalField: Bool { !isNeeded || model.type.isAdded(property) || model.isOfWorkingSet }

  var side: Catalog.Side {
    Catalog.Side(name, deleteRule: plan.deleteRule, isOrdered: isToMany, isSingle: !isToMany)
  }

  /// The side in a catalog; nil if there is none of this name.
  func stored(_ catalog: Catalog) -> Relationship? {
    guard let id = catalog.id(of: entity) else { return nil }
    return catalog.relationships.first { $0.entity == id && $0.name == name && !$0.isHidden }
  }
}

/// Both sides of a relationship, as the models declare it; one of them may have no property.
package struct RelationshipPair {
  package let one: RelationshipEnd
  package let other: RelationshipEnd?
  /// The entity of the other side.
  package let target: String

  var ends: [RelationshipEnd] { [one] + (other.map { [$0] } ?? []) }

  /// The side whose rows store a reference; nil if links are stored. If both sides could, it is the
  /// one that is required, else the first by name.
  package var holder: RelationshipEnd? {
    guard let other else { return one.isToMany ? nil : one }
    if one.isToMany || other.isToMany { return one.isToMany ? (other.isToMany ? nil : other) : one }
    if one.isNeeded != other.isNeeded { return one.isNeeded ? one : other }
    let isFirst = (one.model.type.name, one.plan.name) < (other.model.type.name, other.plan.name)
    return isFirst ? one : other
  }
}

extension RelationshipPair {
  /// The relationships of models, each once.
  package static func all(_ models: [ModelPlan]) throws -> [RelationshipPair] {
    var pairs: [RelationshipPair] = []
    var seen: Set<PropertyName> = []
    for model in models {
      for plan in model.relationships {
        let name = model.type.name
        guard let property = model.type.number(ofPath: plan.name), property >= model.type.first else { continue }
        guard let target = models.first(where: { $0.type.name == plan.target }) else {
          throw RecordFault(
            .unknown,
            "\(plan.target) is not among the models of this store: name both models in one configuration, because a relationship stays within one store",
            entity: name, field: plan.name)
        }
        let other = try inverse(of: plan, model, target)
        if !seen.insert(PropertyName(entity: name, property: plan.name)).inserted { continue }
        if let other { seen.insert(PropertyName(entity: other.model.type.name, property: other.plan.name)) }
        pairs.append(
          RelationshipPair(
            one: RelationshipEnd(model: model, plan: plan, property: property), other: other,
            target: target.type.root.name))
      }
    }
    return pairs
  }

  /// The other side of a relationship. Nil if there is none, or if the relationship is its own
  /// inverse.
  private static func inverse(
    of one: RelationshipPlan, _ model: ModelPlan, _ target: ModelPlan
  ) throws -> RelationshipEnd? {
    let name = model.type.name
    guard let inverse = one.inverse, !one.isOwnInverse(of: name) else { return nil }
    let found = target.relationships.first { $0.name == inverse }
    guard let found, found.target == name, found.inverse == one.name,
      let number = target.type.number(ofPath: inverse), number >= target.type.first
    else {
      throw RecordFault(
        .conflict, "its inverse \(inverse) is not declared by \(one.target), or does not reference \(name)",
        entity: name,
        field: one.name)
    }
    return RelationshipEnd(model: target, plan: found, property: number)
  }
}
