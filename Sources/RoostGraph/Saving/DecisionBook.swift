/// The decisions of one save about new objects that have the unique values of a row.
struct DecisionBook {
  var decisions: [LinkKey: SaveRun.Decision] = [:]
  /// By row, the objects whose values it will have, for closures that decide: the next new object
  /// is compared with the last of them.
  var shown: [LinkKey: [Shown]] = [:]

  struct Shown {
    var object: any _ModelObject
    /// The key with which it was inserted.
    var key: LinkKey
    /// Whether the row keeps its value where the object has nil.
    var isPartial: Bool
  }

  mutating func note(_ choice: UniqueChoice, _ object: any _ModelObject, key: LinkKey, row: LinkKey) {
    switch choice {
    case .keepExisting, .refuse: return
    case .upsert, .mergeNonNil:
      shown[row, default: []].append(Shown(object: object, key: key, isPartial: choice == .mergeNonNil))
    }
  }

  /// Forgets the decision about an object.
  mutating func forget(_ key: LinkKey) {
    decisions[key] = nil
    for row in shown.keys { shown[row]?.removeAll { $0.key == key } }
  }
}

extension _ModelObject {
  /// Fills properties that are nil with the value of the first object in which they are not nil.
  /// Returns the filled properties and their previous nil.
  func fillNil(from below: [any _ModelObject]) -> [(property: Int, value: Any)] {
    var filled: [(property: Int, value: Any)] = []
    for (number, property) in Self._$type.properties.enumerated() {
      guard case .value = property.storage else { continue }
      var own = Glance(property: number)
      _$visit(&own)
      guard own.isNil, let empty = own.value else { continue }
      for one in below {
        var old = Glance(property: number)
        one._$visit(&old)
        if old.isNil { continue }
        if let value = old.value, _$fill(number, with: value) { filled.append((number, empty)) }
        break
      }
    }
    return filled
  }
}

/// Reads the slot of one value.
struct Glance: _SlotVisitor {
  let property: Int
  private(set) var value: Any?
  private(set) var isNil = false

  init(property: Int) { self.property = property }

  mutating func _visitValue<Value>(_ property: Int, _ slot: inout _Slot<Value>) {
    guard property == self.property, slot._isFilled else { return }
    let found = slot._value
    value = found
    isNil = (found as? any MaybeNil)?.isNil ?? false
  }
  mutating func _visit<Model>(_ property: Int, _ slot: inout _ToOne<Model>) {}
  mutating func _visit<Model>(_ property: Int, _ slot: inout _ToMany<Model>) {}
}

/// An optional of any type.
private protocol MaybeNil { var isNil: Bool { get } }

extension Optional: MaybeNil { fileprivate var isNil: Bool { self == nil } }
