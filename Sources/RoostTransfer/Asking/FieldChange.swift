package import RoostRecords

/// What can be set from outside of the program.
package enum FieldChange {
  /// Whether rows can be inserted: not if a row has to say of which class it is.
  package static func mayInsert(into entity: Entity, _ catalog: Catalog) -> Bool {
    if entity.field(FieldNames.kind) != nil { return false }
    return !entity.fields.isEmpty || !catalog.entities.contains { $0.field(FieldNames.kind) != nil }
  }

  /// Whether a new row needs a value of a field. Parts of a struct that may be nil do not.
  package static func isNeeded(_ field: Field, of entity: Entity) -> Bool {
    !field.isOptional && field.initial == nil && field.type != .presence
      && optionalStruct(around: field.name, entity) == nil
  }

  private static func optionalStruct(around name: String, _ entity: Entity) -> String? {
    FieldNames.above(name).first { entity.field($0)?.isOptional == true }
  }

  static func field(
    _ name: String, of entity: Entity, _ catalog: Catalog, fault: (String) -> QuestionFault
  ) throws(QuestionFault) -> Field {
    if name.hasPrefix("@") { throw fault("'\(name)' is the engine's own") }
    if let one = catalog.relationships(of: entity.id).first(where: { $0.name == name && !$0.isHidden }), !one.isToOne {
      throw fault("'\(name)' is a relationship to many: set the other side, or import")
    }
    guard let field = entity.field(name) else {
      let known = entity.fields.filter { $0.type != .presence }.map(\.name)
      throw fault("\(entity.name) has no field '\(name)'; it has \(FieldNames.list(known))")
    }
    if field.type == .presence { throw fault("'\(name)' is a struct: set its parts, such as \(name).x") }
    if let above = optionalStruct(around: name, entity) {
      throw fault("'\(above)' may be nil, so its parts are set by a program")
    }
    return field
  }
}
