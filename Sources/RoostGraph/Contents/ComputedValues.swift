/// Derived properties that the program computes from their object.
extension _ModelObject {
  /// Computes all of them and sets those whose value has changed. It runs the program's code.
  ///
  /// A property may depend on another. So they are computed until nothing changes, at most as many
  /// times as there are properties.
  package func computeDerived(_ type: _ModelType) {
    if type.computed.isEmpty { return }
    if _$state.flags.contains(.fresh) { settle() }
    for _ in type.computed where !computeOnce(type) { return }
  }

  /// Computes each once; returns whether a value has changed.
  private func computeOnce(_ type: _ModelType) -> Bool {
    var isChanged = false
    for property in type.computed {
      guard let new = type.properties[property].compute?(self) else { continue }
      let whole: Any = self
      if let old = whole[keyPath: type.keyPath(property)], Self.isSame(old, new) { continue }
      _$willWrite(property)
      var setting = ComputedSetting(property: property, value: new)
      _$visit(&setting)
      _$didWrite(property)
      isChanged = true
    }
    return isChanged
  }

  private static func isSame(_ one: Any, _ other: Any) -> Bool {
    func isEqual<Value: Equatable>(_ one: Value) -> Bool { (other as? Value) == one }
    guard let one = one as? any Equatable else { return false }
    return isEqual(one)
  }
}

/// Puts a computed value into the slot of its property.
private struct ComputedSetting: _SlotVisitor {
  let property: Int
  let value: Any

  mutating func _visitValue<Value>(_ property: Int, _ slot: inout _Slot<Value>) {
    if property == self.property, let value = value as? Value { slot._store(value) }
  }
  mutating func _visit<Model>(_ property: Int, _ slot: inout _ToOne<Model>) {}
  mutating func _visit<Model>(_ property: Int, _ slot: inout _ToMany<Model>) {}
}
