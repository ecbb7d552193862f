internal import RoostRecords

/// One side of a relationship as the models want it.
struct RelationshipEnd {
  let model: ModelPlan
  let plan: RelationshipPlan
  let property: Int

  /// The entity that has the side, and its name there.
  var entity: String { model.type.root.name }
  var name: String { model.type.fieldName(property) }
  var isToMany: Bool { plan.isToMany }
  /// Whether its objects must reference one.
  var isNeeded: Bool { !plan.isToMany && !model.type.mayBeNil(property) }
  /// Whether a reference may be nil in rows: in those of other classes it is, and in unloaded ones.
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

/// Both sides of a relationship as the models want it; one of them may have no name.
struct RelationshipPair {
  let one: RelationshipEnd
  let other: RelationshipEnd?
  /// The entity of the other side.
  let target: String

  var ends: [RelationshipEnd] { [one] + (other.map { [$0] } ?? []) }

  /// The side whose rows hold a reference; nil if links are stored. If both could, it is the one that must reference an object, else
  /// the first by name.
  var holder: RelationshipEnd? {
    guard let other else { return one.isToMany ? nil : one }
    if one.isToMany || other.isToMany { return one.isToMany ? (other.isToMany ? nil : other) : one }
    if one.isNeeded != other.isNeeded { return one.isNeeded ? one : other }
    let isFirst = (one.model.type.name, one.plan.name) < (other.model.type.name, other.plan.name)
    return isFirst ? one : other
  }
}
