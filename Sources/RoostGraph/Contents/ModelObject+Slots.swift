/// Operations on slots, built on the few functions that `@Model` generates.
extension _ModelObject {
  /// Moves the values in the box into the slots. After that a new object is like any other.
  package func settle() {
    _$state.flags.remove(.fresh)
    guard let box = _$box else { return }
    for (property, value) in box.takeSlotted(Swift.type(of: self)._$type) { _$fill(property, with: value) }
  }

  /// Writes all properties into a row, even if the object was not used since it was made.
  package func _$encode(into sink: inout _RowSink) {
    settle()
    makeValues()
    _$encode(only: .max, into: &sink)
  }
  /// Fills all slots.
  package func _$decode(from source: inout _RowSource) { _$decode(only: .max, from: &source) }

  /// Empties the slots: the object is a fault again, if its flags say so. Returns the objects that
  /// the slots held, which are released when the caller releases them.
  package func _$forget() -> [Any] {
    _$state.keep(nil)
    var forgetting = Forgetting()
    _$visit(&forgetting)
    return forgetting.held
  }

  /// Whether an object has a property's value, in its slot or in its kept row, or the members of a
  /// relationship.
  package func _$isFilled(_ property: Int) -> Bool {
    if _$state.isLazy(property) { return true }
    switch Self._$type.properties[property].storage {
    case .toMany: return many(property).isFilled
    case .toOne: return true
    default: break
    }
    var probe = Probe(property: property)
    _$visit(&probe)
    return probe.isFilled
  }

  /// Gives a property its declared default. If it has none and `orEmpty` is true, it gets nil, zero
  /// or an empty value. Returns false if there is no such value.
  @discardableResult
  package func _$fill(_ property: Int, orEmpty: Bool) -> Bool {
    let known = Self._$type.properties[property]
    var filling = Filling(property: property, value: known.initial?(), orEmpty: orEmpty)
    if orEmpty, case .value(let coder) = known.storage { filling.coder = try? coder.coder() }
    return fill(&filling)
  }

  /// Puts a value into a property's slot without telling observers or the origin. Returns false if
  /// it is of another type.
  @discardableResult
  package func _$fill(_ property: Int, with value: Any) -> Bool {
    var filling = Filling(property: property, value: value, orEmpty: false)
    return fill(&filling)
  }

  private func fill(_ filling: inout Filling) -> Bool {
    _$visit(&filling)
    if filling.isDone { _$state.forgetLazy(_ModelState.bit(filling.property)) }
    return filling.isDone
  }

  /// Visits the slot of one relationship.
  package func _$visitLink<Visitor: _SlotVisitor>(_ property: Int, _ visitor: inout Visitor) {
    var one = OneLink(property: property, visitor: visitor)
    _$visit(&one)
    visitor = one.visitor
  }
}

private struct Forgetting: _SlotVisitor {
  var held: [Any] = []

  mutating func _visitValue<Value>(_ property: Int, _ slot: inout _Slot<Value>) { slot._forget() }
  mutating func _visit<Model>(_ property: Int, _ slot: inout _ToOne<Model>) {
    if let object = slot.takeObject() { held.append(object) }
  }
  mutating func _visit<Model>(_ property: Int, _ slot: inout _ToMany<Model>) {
    if let members = slot.takeMembers(), !members.isEmpty { held.append(members) }
    slot.isNil = false
  }
}

private struct Filling: _SlotVisitor {
  let property: Int
  let value: Any?
  let orEmpty: Bool
  /// Knows an empty value of a type that the engine does not know.
  var coder: AnyCoder?
  var isDone = false

  init(property: Int, value: Any?, orEmpty: Bool) {
    self.property = property
    self.value = value
    self.orEmpty = orEmpty
  }

  mutating func _visitValue<Value>(_ property: Int, _ slot: inout _Slot<Value>) {
    guard property == self.property else { return }
    guard let value = value as? Value ?? (orEmpty ? empty(Value.self) : nil) else { return }
    slot._store(value)
    isDone = true
  }

  private func empty<Value>(_ type: Value.Type) -> Value? {
    if let empty = (type as? any _Storable.Type)?._$any as? Value { return empty }
    return (coder as? Coder<Value>)?.any
  }

  mutating func _visit<Model>(_ property: Int, _ slot: inout _ToOne<Model>) {
    guard property == self.property else { return }
    slot._store(value as? Model)
    isDone = true
  }
  mutating func _visit<Model>(_ property: Int, _ slot: inout _ToMany<Model>) {
    guard property == self.property else { return }
    slot.members = value as? [Model] ?? []
    isDone = true
  }
}

private struct Probe: _SlotVisitor {
  let property: Int
  var isFilled = true

  init(property: Int) { self.property = property }

  mutating func _visitValue<Value>(_ property: Int, _ slot: inout _Slot<Value>) {
    if property == self.property { isFilled = slot._isFilled }
  }
  mutating func _visit<Model>(_ property: Int, _ slot: inout _ToOne<Model>) {}
  mutating func _visit<Model>(_ property: Int, _ slot: inout _ToMany<Model>) {
    if property == self.property { isFilled = slot._isFilled }
  }
}

private struct OneLink<Visitor: _SlotVisitor>: _SlotVisitor {
  let property: Int
  var visitor: Visitor

  mutating func _visit<Model>(_ property: Int, _ slot: inout _ToOne<Model>) {
    if property == self.property { visitor._visit(property, &slot) }
  }
  mutating func _visit<Model>(_ property: Int, _ slot: inout _ToMany<Model>) {
    if property == self.property { visitor._visit(property, &slot) }
  }
}
