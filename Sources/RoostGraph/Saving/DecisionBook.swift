/// What was decided about new objects that have rows already, while a save is tried.
struct DecisionBook {
  var decisions: [LinkKey: SaveRun.Decision] = [:]
  /// By row, whose values it will have, where somebody was asked: the next one is compared with the last of them.
  var shown: [LinkKey: [Shown]] = [:]

  struct Shown {
    var object: any _ModelObject
    /// Where it was inserted.
    var key: LinkKey
    /// Whether what is nil in it stays as it was.
    var isPartial: Bool
  }

  mutating func note(_ choice: UniqueChoice, _ object: any _ModelObject, key: LinkKey, row: LinkKey) {
    switch choice {
    case .keepExisting, .refuse: return
    case .upsert, .mergeNonNil:
      shown[row, default: []].append(Shown(object: object, key: key, isPartial: choice == .mergeNonNil))
    }
  }

  /// What was decided about an object holds no more.
  mutating func forget(_ key: LinkKey) {
    decisions[key] = nil
    for row in shown.keys { shown[row]?.removeAll { $0.key == key } }
  }
}

extension _ModelObject {
  /// Fills values that are nil with those of the first of some objects where they are not. Returns what was filled, and the nil that was there.
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

/// What stands in the slot of one value.
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

/// An optional, whatever of.
private protocol MaybeNil { var isNil: Bool { get } }

extension Optional: MaybeNil { fileprivate var isNil: Bool { self == nil } }
