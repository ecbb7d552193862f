package import RoostRecords

/// Checks which fields can be set from outside the program.
package enum FieldChange {
  /// Whether an entity has all rows of its class, and of no other class.
  package static func isAlone(_ entity: Entity, _ catalog: Catalog) -> Bool {
    if entity.field(FieldNames.kind) != nil { return false }
    return !entity.fields.isEmpty || !catalog.entities.contains { $0.field(FieldNames.kind) != nil }
  }

  /// Whether a new row needs a value for a field. Parts of an optional struct do not.
  package static func isNeeded(_ field: Field, of entity: Entity) -> Bool {
    !field.isOptional && field.initial == nil && field.type != .presence
      && optionalStruct(around: field.name, entity) == nil
  }

  private static func optionalStruct(around name: String, _ entity: Entity) -> String? {
    FieldNames.above(name).first { entity.field($0)?.isOptional == true }
  }

  /// An example of the parts of a struct.
  private static func part(of path: String, _ entity: Entity) -> String {
    entity.fields.first { $0.name.hasPrefix(path + ".") }.map { ", such as \($0.name)" } ?? ""
  }

  static func field(
    _ name: String, of rows: RowClass, _ catalog: Catalog, fault: (String) -> QuestionFault
  ) throws(QuestionFault) -> Field {
    let entity = rows.entity
    if name.hasPrefix("@") { throw fault("'\(name)' is kept by the engine, and cannot be set") }
    if let one = rows.relationship(name, catalog), !one.isToOne {
      throw fault("'\(name)' is a relationship to many: set the reference on the other side, or use an import")
    }
    guard !name.contains("/"), let field = rows.field(name) else {
      if let one = rows.relationship(name, catalog),
        let other = catalog.inverse(of: one), let holder = catalog.name(of: one.target)
      {
        throw fault("'\(name)' is stored in \(holder).\(other.name): set that")
      }
      if let path = rows.structure(name) {
        throw fault("'\(name)' is a struct: set its parts" + part(of: path, entity))
      }
      if let heir = rows.heir(with: name) {
        throw fault("\(rows.name) has no '\(name)', but its subclass \(heir) has: change the rows of \(heir)")
      }
      let known = entity.fields.filter { $0.type != .presence }.compactMap { rows.title(of: $0.name) }
      throw fault("\(rows.name) has no field '\(name)'" + FieldNames.offer(name, known))
    }
    if let derived = catalog.derivation(of: field.id, in: entity.id) {
      throw fault(
        derived.isKept
          ? "'\(name)' is derived: the store computes it, so it cannot be set"
          : "'\(name)' is computed by the program that declares it, so it cannot be set")
    }
    if field.type == .presence { throw fault("'\(name)' is a struct: set its parts" + part(of: field.name, entity)) }
    if case .reference(let target) = field.type, let target = catalog.entity(target), !isAlone(target, catalog) {
      throw fault("'\(name)' references \(target.name), which has subclasses: set it in a program")
    }
    if let above = optionalStruct(around: field.name, entity) {
      throw fault("'\(above)' may be nil, so its parts are set by a program")
    }
    return field
  }
}
