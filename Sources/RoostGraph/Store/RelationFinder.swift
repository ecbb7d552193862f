internal import RoostRecords

/// Finds how a store stores the relationships of the models.
struct RelationFinder {
  private let catalog: Catalog
  private let maps: [EntityMap]
  private let models: [ModelPlan]

  init(_ catalog: Catalog, _ maps: [EntityMap], models: [ModelPlan]) {
    self.catalog = catalog
    self.maps = maps
    self.models = models
  }

  /// By number of the map, then of the property.
  func relations() throws -> [[Relation?]] {
    try maps.map { map in
      try map.type.properties.enumerated().map { number, property in
        guard let plan = plan(number, property.name, map: map) else { return nil }
        return try relation(number, plan, map: map)
      }
    }
  }

  /// The declaration of the class that declares the property.
  private func plan(_ property: Int, _ name: String, map: EntityMap) -> RelationshipPlan? {
    let owner = map.type.owner(of: property)
    return models.first { $0.type === owner }?.relationships.first { $0.name == name }
  }

  private func relation(_ property: Int, _ plan: RelationshipPlan, map: EntityMap) throws -> Relation {
    let found = try catalog.relationship(map.type.fieldName(property), of: map.entity.name)
    guard let target = maps.firstIndex(where: { $0.type.name == plan.target }) else {
      throw RecordFault(.unknown, "\(plan.target) is not among the models", entity: map.type.name, field: plan.name)
    }
    guard maps[target].entity.id == found.target else { throw mismatch(plan, map) }
    let way: Relation.Way
    var isByLinks = false
    switch found.shape {
    case .one: way = .reference(found.id)
    case .manyByReference: way = found.isToOne ? .found(found.id) : .list(found.id)
    case .links:
      way = .list(found.id)
      isByLinks = true
    }
    if case .list = way, !plan.isToMany { throw mismatch(plan, map) }
    if case .list = way {} else if plan.isToMany { throw mismatch(plan, map) }
    let inverse = plan.inverse.flatMap { name in maps[target].type.properties.firstIndex { $0.name == name } }
    // For a relationship that is its own inverse, the other side in the store belongs to no
    // property.
    let isOwnInverse = plan.isOwnInverse(of: map.type.owner(of: property).name)
    let isInverseList = isOwnInverse ? plan.isToMany : catalog.inverse(of: found).map { !$0.isToOne } ?? false
    return Relation(
      property: property, way: way, pair: min(found.id, found.inverse).number, target: target,
      home: maps[target].home, inverse: inverse, isInverseList: isInverseList,
      isOwnInverse: isOwnInverse,
      isByLinks: isByLinks, deleteRule: plan.deleteRule, minimum: plan.minimum, maximum: plan.maximum)
  }

  private func mismatch(_ plan: RelationshipPlan, _ map: EntityMap) -> RecordFault {
    RecordFault(
      .wrongType, "the store has this relationship in another form: that needs a migration", entity: map.type.name,
      field: plan.name)
  }
}
