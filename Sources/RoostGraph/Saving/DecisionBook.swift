/// What was decided about new objects that have rows already, while a save is tried.
struct DecisionBook {
  var decisions: [LinkKey: SaveRun.Decision] = [:]
  /// By row, whose values it will have, where somebody was asked: the next one is compared with that.
  var shown: [LinkKey: Shown] = [:]

  struct Shown {
    var object: any _ModelObject
    /// Whether what is nil in it stays as it was.
    var isPartial: Bool
    /// Whose values that was; nil for those of the row.
    var below: (any _ModelObject)?
  }

  mutating func note(_ choice: UniqueChoice, _ object: any _ModelObject, _ row: LinkKey) {
    switch choice {
    case .keepExisting, .refuse: return
    case .upsert: shown[row] = Shown(object: object, isPartial: false)
    case .mergeNonNil: shown[row] = Shown(object: object, isPartial: true, below: shown[row]?.object)
    }
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
