internal import RoostGraph

/// The target of a model's key path: through to-one references to a property, to a property of a
/// struct, or to a model itself.
///
/// It does not depend on a store: ``PlacedPath`` does.
struct PropertyPath: @unchecked Sendable {
  // Unchecked because a model's type and a value's coder never change.

  enum End {
    case property(Int)
    /// A property of a struct that a property holds, as indexes of nested properties.
    case part(Int, [Int])
    /// The model, by its identifier.
    case model
  }

  /// The model at the beginning.
  let root: _ModelType
  /// The references. Each belongs to the model that the previous one references.
  private(set) var references: [Int] = []
  /// The model that the references end at.
  private(set) var model: _ModelType
  private(set) var end = End.model
  /// The change that the key path makes to the value.
  var change = ValueChange.none
  /// Whether the path contains a `!`, which would end the program at nil.
  var isForced = false

  init(_ root: _ModelType) {
    self.root = root
    model = root
  }

  mutating func follow(_ property: Int, to model: _ModelType) {
    references.append(property)
    self.model = model
  }

  mutating func finish(_ end: End) { self.end = end }

  /// The property at the end; nil if the path ends at the model itself.
  var property: Int? {
    switch end {
    case .property(let number), .part(let number, _): number
    case .model: nil
    }
  }

  /// The names on the way, as in source, without question marks.
  var names: [String] {
    var names: [String] = []
    var type = root
    for number in references {
      names.append(type.propertyName(number))
      if case .toOne(let link) = type.properties[number].storage { type = link.model._$type }
    }
    switch end {
    case .model: break
    case .property(let number): names.append(type.propertyName(number))
    case .part(let number, let parts):
      names.append(type.propertyName(number))
      guard case .value(let coder) = type.properties[number].storage, var next = try? coder.coder() else { break }
      for part in parts {
        names.append(next.parts[part].name)
        next = next.parts[part].coder
      }
    }
    return names
  }
}

/// A change of a stored value by a key path, so that Foundation can sort by it.
enum ValueChange: Hashable {
  case none
  /// A Boolean as a number.
  case rank
  /// The raw value of an enum.
  case rawValue
  /// A text in the order that readers expect.
  case localized, localizedStandard
}
