internal import RoostRecords

/// Brings a store's catalog to what the models ask for: it adds what is missing, and takes nothing away.
struct SchemaKeeper {
  private let models: [ModelPlan]

  init(_ models: [ModelPlan]) { self.models = models }

  /// The catalog as it is then. Where nothing is missing nothing is written.
  func settle(_ records: RecordStore) throws -> Catalog {
    let now = try records.read { $0.catalog }
    var wanted = now
    try bring(&wanted)
    if wanted == now { return now }
    return try records.write { writer in
      // Another opening may have come first.
      try writer.change { try bring(&$0) }
      return writer.catalog
    }
  }

  private func bring(_ catalog: inout Catalog) throws {
    for model in models where catalog.entity(model.type.name) == nil { try catalog.add(entity: model.type.name) }
    for model in models { try fields(model, &catalog) }
    for model in models { try indexes(model, &catalog) }
    for model in models {
      for one in model.relationships { try relationship(one, model, &catalog) }
    }
  }

  // MARK: Relationships

  private func relationship(_ one: RelationshipPlan, _ model: ModelPlan, _ catalog: inout Catalog) throws {
    let name = model.type.name
    guard let entity = catalog.entity(name), let target = catalog.entity(one.target) else {
      throw RecordFault(.unknown, "\(one.target) is not among the models", entity: name, field: one.name)
    }
    let isThere = catalog.relationships.contains { $0.entity == entity.id && $0.name == one.name && !$0.isHidden }
    if isThere { return }
    let other = try inverse(of: one, name)
    if one.isToMany {
      // The reference of the other side brings it along.
      if let other, !other.isToMany { return }
      try catalog.add(
        links: Catalog.Side(one.name, deleteRule: one.deleteRule, isOrdered: true), of: name, to: one.target,
        inverse: other.map { Catalog.Side($0.name, deleteRule: $0.deleteRule, isOrdered: true) } ?? Catalog.Side())
      return
    }
    if let other, !other.isToMany, !holdsReference(one, name, other) { return }
    let isOptional = !isNeeded(one.name, model)
    try catalog.change(entity: name) { (entity) throws(RecordFault) in
      if entity.field(one.name) == nil { try entity.add(one.name, .reference(target.id), isOptional: isOptional) }
    }
    let side =
      other.map {
        Catalog.Side($0.name, deleteRule: $0.deleteRule, isOrdered: $0.isToMany, isSingle: !$0.isToMany)
      } ?? Catalog.Side()
    try catalog.add(reference: one.name, of: name, deleteRule: one.deleteRule, inverse: side)
  }

  private func inverse(of one: RelationshipPlan, _ name: String) throws -> RelationshipPlan? {
    guard let inverse = one.inverse else { return nil }
    let found = models.first { $0.type.name == one.target }?.relationships.first { $0.name == inverse }
    guard let found, found.target == name, found.inverse == one.name else {
      throw RecordFault(.conflict, "its inverse \(inverse) does not lead back", entity: name, field: one.name)
    }
    return found
  }

  /// Of two references that are each other's inverse one stands in the row: the one that must lead somewhere, else the first
  /// by name.
  private func holdsReference(_ one: RelationshipPlan, _ name: String, _ other: RelationshipPlan) -> Bool {
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

  // MARK: Fields

  private func fields(_ model: ModelPlan, _ catalog: inout Catalog) throws {
    let name = model.type.name
    let wanted = try model.type.neededFields()
    try catalog.change(entity: name) { (entity) throws(RecordFault) in
      for field in wanted { try add(field, model, &entity) }
    }
  }

  private func add(
    _ wanted: _ModelType.NeededField, _ model: ModelPlan, _ entity: inout Entity
  ) throws(RecordFault) {
    if let before = model.originalNames[wanted.name], entity.field(wanted.name) == nil, entity.field(before) != nil {
      try entity.rename(before, to: wanted.name)
    }
    guard let field = entity.field(wanted.name) else {
      try entity.add(
        wanted.name, wanted.type, isOptional: wanted.isOptional, initial: model.initials[wanted.name],
        isPreserved: model.preserved.contains(wanted.name))
      return
    }
    guard field.type == wanted.type else {
      throw RecordFault(
        .wrongType, "the store holds \(field.type), the model wants \(wanted.type)",
        entity: entity.name, field: wanted.name)
    }
  }

  private func indexes(_ model: ModelPlan, _ catalog: inout Catalog) throws {
    for (fields, isUnique) in model.uniques.map({ ($0, true) }) + model.indexes.map({ ($0, false) }) {
      let name = (isUnique ? "unique " : "") + fields.joined(separator: ", ")
      guard let entity = catalog.entity(model.type.name) else { continue }
      if catalog.indexes(of: entity.id).contains(where: { $0.name == name }) { continue }
      try catalog.add(index: name, of: entity.name, on: fields, isUnique: isUnique)
    }
  }
}
