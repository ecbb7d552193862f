package import RoostRecords

extension _ModelType {
  /// A field that rows of this model need.
  package struct NeededField: Sendable {
    package var name: String
    /// The property's name; a path for a part of a struct.
    package var path: String
    /// The number of its property.
    package var property: Int
    package var type: FieldType
    package var isOptional: Bool
    /// Whether objects of the model always have a value, although other rows of the entity may have
    /// none.
    package var isNeeded: Bool
    /// The raw values of its type; nil if the type does not list them.
    package var cases: [Value]?
  }

  /// The fields of all values, in the order of the properties. References are not included: whether
  /// a row contains one depends on the inverse.
  package func neededFields() throws(RecordFault) -> [NeededField] {
    var fields: [NeededField] = []
    func add(_ coder: AnyCoder, _ name: String, path: String, property: Int, isAdded: Bool) {
      if let field = coder.field {
        fields.append(
          NeededField(
            name: name, path: path, property: property, type: field.type, isOptional: field.isOptional || isAdded,
            isNeeded: isAdded && !field.isOptional, cases: coder.cases))
      }
      for part in coder.parts {
        add(part.coder, name + "." + part.name, path: path + "." + part.name, property: property, isAdded: isAdded)
      }
    }
    for (number, property) in properties.enumerated() {
      guard case .value(let coder) = property.storage else { continue }
      add(try coder.coder(), fieldName(number), path: property.name, property: number, isAdded: isAdded(number))
    }
    return fields
  }
}

extension _ModelType {
  /// Whether an object records changes of the property together with others: its state has 64 bits
  /// for them.
  package func sharesBit(_ property: Int) -> Bool { property >= 63 && properties.count > 64 }
}

extension _ModelType {
  /// The stored form of a value of the property's type; nil if the value is of another type.
  package func stored(_ name: String, _ value: Any) -> RoostRecords.Value? {
    properties.lastIndex { $0.name == name }.flatMap { stored($0, value) }
  }

  /// The stored form of a value of a property, given by its number.
  package func stored(_ property: Int, _ value: Any) -> RoostRecords.Value? {
    guard case .value(let known) = properties[property].storage,
      let coder = try? known.coder(), let bytes = coder.elementBytes(any: value)
    else { return nil }
    return bytes.withUnsafeBytes { RoostRecords.Value(element: $0, as: coder.form.element) }
  }
}
