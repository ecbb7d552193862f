internal import RoostQuery
internal import RoostRecords

/// Derived properties.
extension SchemaKeeper {
  /// Makes fields derived as the models declare, and others ordinary. Fields of unnamed classes
  /// stay.
  mutating func bringDerived(_ catalog: inout Catalog) throws {
    var asked: [(derivation: Derivation, model: ModelPlan, property: String)] = []
    for model in models {
      for plan in model.derived {
        var one = try derivation(plan, model, catalog: catalog)
        // Only the program can fill existing rows. It does so after the opening.
        if one.kind == .computed, try isUnfilled(one, model, catalog: catalog) {
          one.text = Derivation.waiting + one.text
        }
        asked.append((one, model, plan.property))
      }
    }
    for model in models {
      guard let entity = catalog.entity(model.type.root.name) else { continue }
      for property in model.type.first..<model.type.properties.count {
        guard let field = entity.field(model.type.fieldName(property)),
          let known = catalog.derivation(of: field.id, in: entity.id),
          !asked.contains(where: { $0.derivation == known })
        else { continue }
        catalog.remove(derivationOf: field.id, in: entity.id)
      }
    }
    for (one, model, property) in asked where catalog.derivation(of: one.field, in: one.entity) == nil {
      do throws(RecordFault) { try catalog.add(one) } catch {
        throw MigrationFault(model.type.name, property, detail: "it cannot be derived: \(error.detail)")
      }
    }
  }

  /// Whether stored rows lack values of this computation, or have values computed from former
  /// fields.
  private func isUnfilled(_ one: Derivation, _ model: ModelPlan, catalog: Catalog) throws -> Bool {
    if catalog.derivation(of: one.field, in: one.entity) == one, !isReshaped(one.entity, catalog) { return false }
    return try hasRows(model.type.root.name)
  }

  /// Whether this opening changes fields of an entity, from which the program may compute.
  private func isReshaped(_ id: EntityID, _ catalog: Catalog) -> Bool {
    guard !isReadOnly, let before = stored?.catalog.entity(id), let now = catalog.entity(id) else { return false }
    return before.fields != now.fields
  }

  /// Removes a derived field whose type changes, with its indexes. It is added again as a new
  /// field, with new values.
  ///
  /// - Returns: whether the store had such a field.
  mutating func dropDerived(
    _ fields: [_ModelType.NeededField], _ property: Int, model: ModelPlan, catalog: inout Catalog
  ) throws -> Bool {
    let root = model.type.root.name
    guard !isReadOnly, model.isDerived(model.type.propertyName(property)), fields.count == 1,
      let entity = catalog.entity(root), let field = entity.field(fields[0].name), field.type != fields[0].type,
      catalog.derivation(of: field.id, in: entity.id) != nil
    else { return false }
    for index in catalog.indexes(of: entity.id) where index.fields.contains(field.id) {
      try catalog.remove(index: index.name, of: root)
    }
    for index in catalog.textIndexes(of: entity.id) where index.fields.contains(field.id) {
      try catalog.remove(textIndex: index.name, of: root)
    }
    try catalog.change(entity: root) { (entity) throws(RecordFault) in try entity.remove(field.name) }
    return true
  }

  private func derivation(_ plan: DerivedPlan, _ model: ModelPlan, catalog: Catalog) throws -> Derivation {
    func fault(_ detail: String) -> MigrationFault { MigrationFault(model.type.name, plan.property, detail: detail) }
    guard let entity = catalog.entity(model.type.root.name),
      let field = entity.field(model.type.fieldName(ofPath: plan.property))
    else { throw fault("it cannot be derived, because its type is stored as several fields: derive each part") }
    if plan.kind == .computed { return Derivation(entity.id, field.id, kind: .computed, text: plan.text) }
    guard let number = model.type.number(ofPath: plan.list),
      case .toMany(let link) = model.type.properties[number].storage,
      let one = catalog.relationships(of: entity.id).first(where: { $0.name == model.type.fieldName(number) })
    else { throw fault("\(plan.list), from which it is derived, is not a to-many relationship") }
    let (target, type) = (catalog.entity(one.target), link.model._$type)
    func id(_ path: String) throws -> FieldID? {
      if path.isEmpty { return nil }
      guard let found = target?.field(type.fieldName(ofPath: path)) else {
        throw fault("\(type.name).\(path), from which it is derived, is not stored as one value")
      }
      return found.id
    }
    return Derivation(
      entity.id, field.id, kind: plan.kind, relationship: one.id, value: try id(plan.value), key: try id(plan.key))
  }
}
