internal import RoostGraph

/// Where a key path of a model leads: over references to one, to a property, to a part of a struct, or to a model itself.
///
/// It says nothing of a store: ``PlacedPath`` does.
struct PropertyPath: @unchecked Sendable {
  // Unchecked because a model's type and a value's coder never change.

  enum End {
    case property(Int)
    /// A part of the struct that a property holds, as numbers of parts within parts.
    case part(Int, [Int])
    /// The model, by its identifier.
    case model
  }

  /// The model at the beginning.
  let root: _ModelType
  /// References, each of the model that the one before leads to.
  private(set) var references: [Int] = []
  /// The model to which they lead.
  private(set) var model: _ModelType
  private(set) var end = End.model
  /// What the key path makes of the value.
  var change = ValueChange.none
  /// Whether somewhere stands `!`, which would end the program where there is nothing.
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

  /// The property at the end; nil where that is the model itself.
  var property: Int? {
    switch end {
    case .property(let number), .part(let number, _): number
    case .model: nil
    }
  }

  /// The names on the way, as one would write them, but for question marks.
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

/// What a key path makes of a stored value, so that Foundation can sort by it.
enum ValueChange: Hashable {
  case none
  /// A flag as a number.
  case rank
  /// What stands for an enum's case.
  case rawValue
  /// A text as readers sort it.
  case localized, localizedStandard
}
