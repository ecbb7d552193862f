internal import RoostGraph

extension PersistentModel {
  public nonisolated func getValue<Value>(forKey: KeyPath<Self, Value>) -> Value where Value: Decodable {
    _getValue(forKey)
  }
  public nonisolated func getValue<Value>(forKey: KeyPath<Self, Value>) -> Value where Value: PersistentModel {
    _getValue(forKey)
  }
  public nonisolated func getValue<Value>(forKey: KeyPath<Self, Value?>) -> Value? where Value: PersistentModel {
    _getValue(forKey)
  }
  public nonisolated func getValue<Value, Other>(forKey: KeyPath<Self, Value>) -> Value
  where Value: RelationshipCollection, Other == Value.PersistentElement { _getValue(forKey) }
  public nonisolated func getValue<Value, Other>(forKey: KeyPath<Self, Value>) -> Value
  where Value: Decodable, Value: RelationshipCollection, Other == Value.PersistentElement { _getValue(forKey) }
  public nonisolated func getTransformableValue<Value>(forKey: KeyPath<Self, Value>) -> Value { _getValue(forKey) }

  public nonisolated func setValue<Value>(forKey: KeyPath<Self, Value>, to newValue: Value) where Value: Encodable {
    _setValue(forKey, newValue)
  }
  public nonisolated func setValue<Value>(forKey: KeyPath<Self, Value>, to newValue: Value)
  where Value: PersistentModel {
    _setValue(forKey, newValue)
  }
  public nonisolated func setValue<Value>(forKey: KeyPath<Self, Value?>, to newValue: Value?)
  where Value: PersistentModel { _setValue(forKey, newValue) }
  public nonisolated func setValue<Value, Other>(forKey: KeyPath<Self, Value>, to newValue: Value)
  where Value: RelationshipCollection, Other == Value.PersistentElement { _setValue(forKey, newValue) }
  public nonisolated func setValue<Value, Other>(forKey: KeyPath<Self, Value>, to newValue: Value)
  where Value: Encodable, Value: RelationshipCollection, Other == Value.PersistentElement {
    _setValue(forKey, newValue)
  }
  public nonisolated func setTransformableValue<Value>(forKey: KeyPath<Self, Value>, to newValue: Value) {
    _setValue(forKey, newValue)
  }

  /// A value that accessors written by hand keep in the box; any other by its own getter.
  nonisolated func _getValue<Value>(_ keyPath: KeyPath<Self, Value>) -> Value {
    guard let number = Self._$type.number(of: keyPath), Self._$type.properties[number].isByHand else {
      return self[keyPath: keyPath]
    }
    if !_$state._isReady { _$willRead(number) }
    guard let value = _$box?.value(keyPath) as? Value else { _$stop(number, "has no value: it was never set") }
    return value
  }

  nonisolated func _setValue<Value>(_ keyPath: KeyPath<Self, Value>, _ value: Value) {
    let number = Self._$type.number(of: keyPath)
    guard let number, Self._$type.properties[number].isByHand else {
      let own = number.map { Self._$type.properties[$0].keyPath } ?? keyPath
      guard let writable = own as? ReferenceWritableKeyPath<Self, Value> else {
        preconditionFailure("\(keyPath) cannot be set")
      }
      self[keyPath: writable] = value
      return
    }
    if !_$state._isFree(number) { _$willWrite(number) }
    let box = _$box ?? _Box()
    box.set(keyPath, value)
    _$box = box
    _$didWrite(number)
  }
}

/// Gives an object values that belonged to none, or to another object.
public nonisolated func _adopt<Model: PersistentModel>(_ values: any BackingData<Model>, _ model: Model) {
  if let values = values as? _BackingData<Model> {
    model._$box = values._box
    model._$state.flags.insert(.fresh)
  } else if let other = (values as? _ObjectBacking<Model>)?.model, other !== model {
    copy(from: other, to: model)
  }
}

private func copy<Model: PersistentModel>(from other: Model, to model: Model) {
  func copy<Value>(_ keyPath: AnyKeyPath, _ type: Value.Type) {
    guard let writable = keyPath as? ReferenceWritableKeyPath<Model, Value> else { return }
    model[keyPath: writable] = other[keyPath: writable]
  }
  for property in Model._$type.properties {
    func open<Value>(_ type: Value.Type) { copy(property.keyPath, type) }
    _openExistential(type(of: property.keyPath).valueType, do: open)
  }
}
