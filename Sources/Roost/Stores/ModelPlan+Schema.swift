package import RoostGraph
internal import RoostRecords

extension ModelPlan {
  /// Makes the plan of an entity of a schema.
  package init(_ entity: Schema.Entity, _ model: any PersistentModel.Type) {
    self.init(model._$type)
    rules = entity.valueRules
    for ancestor in entity.lineage {
      uniques += ancestor.uniquenessConstraints.filter { !uniques.contains($0) }
      indexes += ancestor.indices.filter { !indexes.contains($0) }
      for one in ancestor.indexDefinitions where !definitions.contains(one.plan) { definitions.append(one.plan) }
      texts += ancestor.fullTexts.map { TextPlan($0.names, of: ancestor.name, analyzer: $0.analyzer) }
    }
    // An index for unique values is sorted too.
    indexes = indexes.filter { !uniques.contains($0) }
    // The class that declares properties adds them, not the classes that inherit them.
    for property in entity.storedProperties { add(property) }
    derived = entity.derived.map(\.plan)
    for one in derived { salts[one.property] = (salts[one.property] ?? "") + one.salt }
  }

  private mutating func add(_ property: any SchemaProperty) {
    if property.asAttribute?.isTransient == true { return }
    if !property.originalName.isEmpty, property.originalName != property.name {
      originalNames[property.name] = property.originalName
    }
    if let relationship = property.asRelationship {
      relationships.append(
        RelationshipPlan(
          relationship.name, to: relationship.destination, isToMany: !relationship.isToOneRelationship,
          inverse: relationship.inverseName, deleteRule: relationship.deleteRule.stored,
          minimum: relationship.minimumModelCount ?? 0, maximum: relationship.maximumModelCount ?? 0))
      if let message = relationship.rules.compactMap(\.message).first { countMessages[relationship.name] = message }
    }
    if let salt = property.asAttribute?.hashModifier ?? property.asRelationship?.hashModifier {
      salts[property.name] = salt
    }
    if let attribute = property.asAttribute {
      if attribute.options.contains(.preserveValueOnDeletion) { preserved.insert(attribute.name) }
      if attribute.isTransformable || attribute.isCodable {
        initials[attribute.name] = attribute.defaultValue.flatMap { type.stored(attribute.name, $0) }
      } else if !(attribute is Schema.CompositeAttribute), let initial = attribute.defaultValue {
        if let plain = PlainType.of(Swift.type(of: initial)) {
          initials[attribute.name] = plain.value(any: initial)
        } else if let initial = initial as? any Codable {
          initials[attribute.name] = CoderShelf.shared.value(any: initial)
        }
      }
    }
  }
}

extension Schema.Entity {
  /// The entity and its superentities.
  var lineage: [Schema.Entity] {
    var all = [self]
    var next = superentity
    while let ancestor = next, !all.contains(where: { $0 === ancestor }) {
      all.append(ancestor)
      next = ancestor.superentity
    }
    return all
  }
}

extension Schema.Relationship.DeleteRule {
  fileprivate var stored: Relationship.DeleteRule {
    switch self {
    case .nullify: .nullify
    case .cascade: .cascade
    case .deny: .deny
    case .noAction: .noAction
    }
  }
}
