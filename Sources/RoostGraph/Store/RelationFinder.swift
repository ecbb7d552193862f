internal import RoostRecords

/// Finds out how the relationships of the models are held by a store.
struct RelationFinder {
  private let catalog: Catalog
  private let maps: [EntityMap]
  private let models: [ModelPlan]

  init(_ catalog: Catalog, _ maps: [EntityMap], _ models: [ModelPlan]) {
    self.catalog = catalog
    self.maps = maps
    self.models = models
  }

  /// By number of the map, and of the property.
  func relations() throws -> [[Relation?]] {
    try zip(maps, models).map { map, model in
      try map.type.properties.enumerated().map { number, property in
        guard let plan = model.relationships.first(where: { $0.name == property.name }) else { return nil }
        return try relation(number, plan, map)
      }
    }
  }

  private func relation(_ property: Int, _ plan: RelationshipPlan, _ map: EntityMap) throws -> Relation {
    let found = try catalog.relationship(plan.name, of: map.type.name)
    guard let target = maps.firstIndex(where: { $0.entity.id == found.target }) else {
      throw RecordFault(.unknown, "\(plan.target) is not among the models", entity: map.type.name, field: plan.name)
    }
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
    let other = catalog.inverse(of: found)
    return Relation(
      property: property, way: way, pair: min(found.id, found.inverse).number, target: target, inverse: inverse,
      isInverseList: other.map { !$0.isToOne } ?? false,
      isByLinks: isByLinks, deleteRule: plan.deleteRule, minimum: plan.minimum, maximum: plan.maximum)
  }

  private func mismatch(_ plan: RelationshipPlan, _ map: EntityMap) -> RecordFault {
    RecordFault(
      .wrongType, "the store holds this relationship in another form: it needs a migration", entity: map.type.name,
      field: plan.name)
  }
}
