package import RoostRecords

/// What a new row of a class holds of which nothing is said, and what must be said of it.
package struct RowBlank: Sendable {
  package enum Initial: Sendable {
    case always(Value)
    /// Another one for each row: an identifier, or the time.
    case anew(@Sendable () -> Value?)
  }

  /// By what the row says that it is of the class; nil where no row of the entity does.
  package let classNumber: UInt32?
  /// Fields without which there is no such row.
  package private(set) var required: [String] = []
  package private(set) var initials: [(field: String, value: Initial)] = []

  /// Fields whose types do not have all values that rows can hold, each with what says why it does not have one.
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
        // Where the other side holds it there is no field.
        if !link.isOptional, map.field(number) != nil { required.append(name) }
      case .toMany, .none: continue
      }
    }
  }

  /// Adds the checks of a property, or of a part of it.
  ///
  /// - Parameter path: where the part is, by number.
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

  /// What the fields of a property hold by its default, by name; nil where it has none.
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

  /// A property's default as it is now.
  private static func value(_ type: _ModelType, _ property: Int) -> Value? {
    guard let made = type.properties[property].initial?() else { return nil }
    return type.stored(type.properties[property].name, made)
  }

  /// What the fields of a value hold; those of nil are none.
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
