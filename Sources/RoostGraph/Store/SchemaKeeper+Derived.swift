internal import RoostRecords

/// Derived properties.
extension SchemaKeeper {
  /// Makes the fields derived that the models derive, and others ordinary. Fields of classes that the program does not name stay.
  mutating func bringDerived(_ catalog: inout Catalog) throws {
    var asked: [(derivation: Derivation, model: ModelPlan, property: String)] = []
    for model in models {
      for plan in model.derived {
        var one = try derivation(plan, model, catalog: catalog)
        // Only the program can fill the rows that are there. It does so after the opening.
        if one.kind == .computed, try isUnfilled(one, model, catalog: catalog) {
          one.text = DerivedPlan.waiting + one.text
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

  /// Whether stored rows have no value of this computation.
  private func isUnfilled(_ one: Derivation, _ model: ModelPlan, catalog: Catalog) throws -> Bool {
    catalog.derivation(of: one.field, in: one.entity) == one ? false : try hasRows(model.type.root.name)
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
    else { throw fault("\(plan.list), from which it is derived, is no relationship to many objects") }
    let (target, type) = (catalog.entity(one.target), link.model._$type)
    func id(_ path: String) throws -> FieldID? {
      if path.isEmpty { return nil }
      guard let found = target?.field(type.fieldName(ofPath: path)) else {
        throw fault("\(type.name).\(path), from which it is derived, is no stored property with one value")
      }
      return found.id
    }
    return Derivation(
      entity.id, field.id, kind: plan.kind, relationship: one.id, value: try id(plan.value), key: try id(plan.key))
  }
}
