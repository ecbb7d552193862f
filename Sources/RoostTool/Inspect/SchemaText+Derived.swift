import RoostRecords

/// Derived properties.
extension SchemaText {
  /// The attribute of a derived property, followed by a space; empty for other properties.
  func derivedAttribute(_ field: Field, _ shape: SchemaClass) -> String {
    Self.derivedAttribute(field, shape.own, catalog: catalog)
  }

  /// The attribute of a derived property, followed by a space; empty for other properties.
  static func derivedAttribute(_ field: Field, _ entity: Entity, catalog: Catalog) -> String {
    guard let one = catalog.derivation(of: field.id, in: entity.id) else { return "" }
    if one.kind == .computed {
      let path = one.computation.split(separator: " ").first.map(String.init) ?? one.computation
      return "@Derived(\\\(entity.name).\(path)) "
    }
    guard let relationship = one.relationship.flatMap({ catalog.relationship($0) }),
      let target = catalog.entity(relationship.target)
    else { return "" }
    func path(_ id: FieldID?) -> String? {
      id.flatMap { target.field($0) }.map { "\\.\(SchemaClass.property($0.name))" }
    }
    var arguments = ["\\\(entity.name).\(SchemaClass.property(relationship.name))"]
    if let value = path(one.value) { arguments.append((one.kind == .latest ? "of: " : "") + value) }
    if let key = path(one.key) { arguments.append("by: \(key)") }
    return "@Derived(.\(one.kind.word)(\(arguments.joined(separator: ", ")))) "
  }
}
