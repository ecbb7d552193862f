package import RoostRecords

/// The default values of a new row of a class, and its required fields.
package struct RowBlank: Sendable {
  package enum Initial: Sendable {
    case always(Value)
    /// Another value for each row: an identifier, or the time.
    case anew(@Sendable () -> Value?)
  }

  /// The class number that the row stores; nil if rows of the entity store none.
  package let classNumber: UInt32?
  /// Required fields.
  package private(set) var required: [String] = []
  package private(set) var initials: [(field: String, value: Initial)] = []

  /// Fields whose types reject some values that rows can store, each with a function that returns
  /// the error for a value.
  package private(set) var checks: [(field: String, refusal: @Sendable (Value) -> String?)] = []

  package init(_ map: EntityMap) throws {
    classNumber = map.family?.classNumber(map.number)
    for (number, property) in map.type.properties.enumerated() {
      let name = map.type.fieldName(number)
      switch property.storage {
      case .value(let coder):
        addChecks(try coder.coder(), name, property: coder, path: [])
        let element = try coder.coder().form.element
        guard let first = Self.value(map.type, number) else {
          required += Self.required(name, element)
          continue
        }
        let (one, other) = (
          Self.fields(name, element, value: first),
          Self.fields(name, element, value: Self.value(map.type, number) ?? .null)
        )
        for (place, field) in one.enumerated() {
          if other.indices.contains(place), other[place].value == field.value {
            initials.append((field.name, .always(field.value)))
            continue
          }
          let type = map.type
          initials.append(
            (
              field.name,
              .anew {
                Self.value(type, number).flatMap { value in
                  Self.fields(name, element, value: value).first { $0.name == field.name }?.value
                }
              }
            ))
        }
      case .toOne(let link):
        // If the other side stores it, there is no field.
        if !link.isOptional, map.field(number) != nil { required.append(name) }
      case .toMany, .none: continue
      }
    }
  }

  /// Adds the checks of a property, or of a part of it.
  ///
  /// - Parameters:
  ///   - part: the coder of the part.
  ///   - name: the name of its field.
  ///   - property: the coder of the property.
  ///   - path: the part's position, by numbers.
  private mutating func addChecks(_ part: AnyCoder, _ name: String, property: _Coder, path: [Int]) {
    for (number, inner) in part.parts.enumerated() {
      addChecks(inner.coder, name + "." + inner.name, property: property, path: path + [number])
    }
    guard part.parts.isEmpty, part.isChoosy else { return }
    checks.append(
      (
        name,
        { value in
          guard let whole = try? property.coder() else { return nil }
          return path.reduce(whole) { $0.parts[$1].coder }.refusal(of: value)
        }
      ))
  }

  /// The field values of a property's default, by name; nil if it has no default.
  package static func defaults(_ type: _ModelType, _ property: Int) throws(RecordFault) -> [String: Value]? {
    guard case .value(let coder) = type.properties[property].storage, let first = value(type, property) else {
      return nil
    }
    let all = fields(type.fieldName(property), try coder.coder().form.element, value: first)
    return Dictionary(all.map { ($0.name, $0.value) }) { first, _ in first }
  }

  /// The fields of a property that may not be nil.
  package static func required(_ type: _ModelType, _ property: Int) throws(RecordFault) -> [String] {
    guard case .value(let coder) = type.properties[property].storage else { return [] }
    return required(type.fieldName(property), try coder.coder().form.element)
  }

  /// The present value of a property's default.
  private static func value(_ type: _ModelType, _ property: Int) -> Value? {
    guard let made = type.properties[property].initial?() else { return nil }
    return type.stored(type.properties[property].name, made)
  }

  /// The field values of a value; nil has none.
  private static func fields(_ name: String, _ type: ElementType, value: Value) -> [(name: String, value: Value)] {
    switch (type, value) {
    case (_, .null): return []
    case (.plain, _): return [(name, value)]
    case (.optional(.plain), _): return [(name, value)]
    case (.optional(let inner), _): return [(name, .bool(true))] + fields(name, inner, value: value)
    case (.structure(let parts), .structure(let values)):
      return zip(parts, values).flatMap { fields(name + "." + $0.name, $0.type, value: $1) }
    case (.structure, _): return []
    }
  }

  /// The fields of a value that may not be nil.
  private static func required(_ name: String, _ type: ElementType) -> [String] {
    switch type {
    case .plain: [name]
    case .optional: []
    case .structure(let parts): parts.flatMap { required(name + "." + $0.name, $0.type) }
    }
  }
}
