internal import RoostRecords

/// A store cannot be brought to the program's models as they are.
package struct MigrationFault: Error, Hashable, Sendable, CustomStringConvertible {
  package var entity: String
  package var property: String?
  /// What would have to be done, and how to do without.
  package var detail: String
  /// Whether the store is newer than the program.
  package var isBackward: Bool

  package init(_ entity: String, _ property: String?, isBackward: Bool = false, detail: String) {
    self.entity = entity
    self.property = property
    self.isBackward = isBackward
    self.detail = detail
  }

  package var description: String {
    entity.isEmpty ? detail : entity + (property.map { "." + $0 } ?? "") + ": " + detail
  }
}

/// What a change of the catalog cannot do.
extension SchemaKeeper {
  /// A model's entity as it is stored, if there are rows of it.
  func filled(_ model: ModelPlan) throws -> Entity? {
    guard let stored, let entity = stored.catalog.entity(model.type.root.name), try stored.table(entity.id).count > 0
    else { return nil }
    return entity
  }

  /// Refuses new properties that stored rows have no value for.
  func checkRequired(_ wanted: [_ModelType.NeededField], _ model: ModelPlan, entity: Entity) throws {
    for property in model.type.first..<model.type.properties.count {
      let fields = wanted.filter { $0.property == property }
      if fields.isEmpty || fields.contains(where: { entity.field($0.name) != nil }) { continue }
      guard try RowBlank.defaults(model.type, property) == nil, try !RowBlank.required(model.type, property).isEmpty
      else { continue }
      throw MigrationFault(
        model.type.name, model.type.propertyName(property),
        detail: "the store has objects without a value for it: give the property a default value, or make it optional")
    }
  }

  /// Refuses a new relationship that must lead to an object, where there are objects for which nobody knows to which.
  func checkReference(_ property: Int, _ model: ModelPlan, isNew: Bool) throws {
    guard !isNew, !model.type.mayBeNil(property), try filled(model) != nil else { return }
    throw MigrationFault(
      model.type.name, model.type.propertyName(property),
      detail: "the store has objects without a value for this relationship: make it optional")
  }

  /// Refuses a relationship that the store knows by another name.
  func checkName(_ one: RelationshipPlan, _ field: String, entity: Entity, model: ModelPlan) throws {
    guard let stored, let before = model.originalNames[one.name] else { return }
    let old = field.dropLast(one.name.count) + before
    guard stored.catalog.relationships.contains(where: { $0.entity == entity.id && $0.name == old && !$0.isHidden })
    else { return }
    throw MigrationFault(
      model.type.name, one.name,
      detail:
        "the store has it as \(before), and relationships cannot be renamed yet: name the property \(before) again")
  }

  /// Refuses properties that exchange names. That they have done so is noted in the catalog of a new store, because their names
  /// do not tell.
  func exchange(_ model: ModelPlan, _ catalog: inout Catalog) throws {
    let names = model.exchangedNames
    let root = model.type.root.name
    guard let first = names.first, let entity = catalog.entity(root) else { return }
    let mark = "@exchanged " + model.type.name + " " + names.joined(separator: " ")
    if entity.field(mark) != nil { return }
    let prefix = String(model.type.fieldName(ofPath: first).dropLast(first.count))
    if let stored, let filled = try filled(model) {
      let known = names.first { name in
        filled.field(prefix + name) != nil
          || stored.catalog.relationships.contains {
            $0.entity == filled.id && $0.name == prefix + name && !$0.isHidden
          }
      }
      if known != nil {
        throw MigrationFault(
          model.type.name, first,
          detail:
            "it exchanges names with \(names.dropFirst().joined(separator: ", ")), which is not possible yet: keep the names, "
            + "or give the properties names that are new")
      }
    }
    try catalog.change(entity: root) { (entity) throws(RecordFault) in
      try entity.add(mark, .presence, isOptional: true)
    }
  }
}

extension ModelPlan {
  /// Properties of which each has the original name of another one, in a circle; sorted.
  fileprivate var exchangedNames: [String] {
    originalNames.keys.filter { name in
      var next = originalNames[name]
      for _ in originalNames {
        if next == name { return true }
        next = next.flatMap { originalNames[$0] }
      }
      return false
    }.sorted()
  }
}
