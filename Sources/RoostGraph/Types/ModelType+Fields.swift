package import RoostRecords

extension _ModelType {
  /// A field that rows of this model need.
  package struct NeededField: Sendable {
    /// That of the property; for a part of a struct a path.
    package var name: String
    /// Which property it belongs to.
    package var property: Int
    package var type: FieldType
    package var isOptional: Bool
  }

  /// The fields of all values, in the order of the properties. References are not among them: whether a row holds one depends on
  /// the other side.
  package func neededFields() throws(RecordFault) -> [NeededField] {
    var fields: [NeededField] = []
    func add(_ coder: AnyCoder, _ name: String, _ property: Int) {
      if let field = coder.field {
        fields.append(NeededField(name: name, property: property, type: field.type, isOptional: field.isOptional))
      }
      for part in coder.parts { add(part.coder, name + "." + part.name, property) }
    }
    for (number, property) in properties.enumerated() {
      if case .value(let coder) = property.storage { add(try coder.coder(), property.name, number) }
    }
    return fields
  }
}

extension RowPlan {
  /// Plans for rows of all layouts of an entity, by version.
  package static func all(_ type: _ModelType, _ entity: Entity, _ layouts: [Layout]) throws(RecordFault) -> [RowPlan] {
    guard let last = layouts.last else { return [] }
    let newest = try RowPlan(type, entity, last)
    var plans: [RowPlan] = []
    for layout in layouts.dropLast() { plans.append(try RowPlan(type, entity, layout, initial: newest.initial)) }
    return plans + [newest]
  }
}
