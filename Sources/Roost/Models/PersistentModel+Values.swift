internal import RoostFile
internal import RoostGraph

extension PersistentModel {
  /// Returns the value of a property, for accessors written by hand.
  public nonisolated func getValue<Value>(forKey: KeyPath<Self, Value>) -> Value where Value: Decodable {
    _getValue(forKey)
  }
  /// Returns the model that a relationship references.
  public nonisolated func getValue<Value>(forKey: KeyPath<Self, Value>) -> Value where Value: PersistentModel {
    _getValue(forKey)
  }
  /// Returns the model that a relationship references; nil if it references none.
  public nonisolated func getValue<Value>(forKey: KeyPath<Self, Value?>) -> Value? where Value: PersistentModel {
    _getValue(forKey)
  }
  /// Returns the models of a to-many relationship.
  public nonisolated func getValue<Value, Other>(forKey: KeyPath<Self, Value>) -> Value
  where Value: RelationshipCollection, Other == Value.PersistentElement { _getValue(forKey) }
  /// Returns the models of a to-many relationship, if the list could also be decoded as a value.
  public nonisolated func getValue<Value, Other>(forKey: KeyPath<Self, Value>) -> Value
  where Value: Decodable, Value: RelationshipCollection, Other == Value.PersistentElement { _getValue(forKey) }
  /// Returns the value of a property that a ``ValueTransformer`` stores.
  public nonisolated func getTransformableValue<Value>(forKey: KeyPath<Self, Value>) -> Value { _getValue(forKey) }

  /// Sets a property, for accessors written by hand. Observers and the context are notified.
  public nonisolated func setValue<Value>(forKey: KeyPath<Self, Value>, to newValue: Value) where Value: Encodable {
    _setValue(forKey, newValue)
  }
  /// Sets the model that a relationship references. The other side changes with it.
  public nonisolated func setValue<Value>(forKey: KeyPath<Self, Value>, to newValue: Value)
  where Value: PersistentModel {
    _setValue(forKey, newValue)
  }
  /// Sets the model that a relationship references, or nil. The other side changes with it.
  public nonisolated func setValue<Value>(forKey: KeyPath<Self, Value?>, to newValue: Value?)
  where Value: PersistentModel { _setValue(forKey, newValue) }
  /// Sets the models of a to-many relationship. The other side changes with it.
  public nonisolated func setValue<Value, Other>(forKey: KeyPath<Self, Value>, to newValue: Value)
  where Value: RelationshipCollection, Other == Value.PersistentElement { _setValue(forKey, newValue) }
  /// Sets the models of a to-many relationship, if the list could also be encoded as a value.
  public nonisolated func setValue<Value, Other>(forKey: KeyPath<Self, Value>, to newValue: Value)
  where Value: Encodable, Value: RelationshipCollection, Other == Value.PersistentElement {
    _setValue(forKey, newValue)
  }
  /// Sets a property that a ``ValueTransformer`` stores.
  public nonisolated func setTransformableValue<Value>(forKey: KeyPath<Self, Value>, to newValue: Value) {
    _setValue(forKey, newValue)
  }

  /// Returns a value that accessors written by hand keep in the box. Any other value comes from its
  /// own getter.
  nonisolated func _getValue<Value>(_ keyPath: KeyPath<Self, Value>) -> Value {
    guard let number = Self._$type.number(of: keyPath), Self._$type.properties[number].isByHand else {
      return self[keyPath: keyPath]
    }
    if !_$state._isReady { _$willRead(number) }
    guard let value = _$box?.value(Self._$type.keyPath(number)) as? Value else {
      _$stop(number, "has no value: it was never set")
    }
    return value
  }

  nonisolated func _setValue<Value>(_ keyPath: KeyPath<Self, Value>, _ value: Value) {
    let type = Self._$type
    guard let number = type.number(of: keyPath) else {
      // A computed property of the program.
      guard let writable = keyPath as? ReferenceWritableKeyPath<Self, Value> else {
        StandardError.stop("\(keyPath) cannot be set")
      }
      return self[keyPath: writable] = value
    }
    let isFree = _$state._isFree(number)
    if !isFree { _$willWrite(number) }
    if type.properties[number].isByHand {
      let box = _$box ?? _Box()
      box.set(type.keyPath(number), value)
      _$box = box
    } else {
      _$fill(number, with: value)
    }
    if !isFree { _$didWrite(number) }
  }
}

/// Gives an object the values of a new object, or of another object.
public nonisolated func _adopt<Model: PersistentModel>(_ values: any BackingData<Model>, _ model: Model) {
  if let values = values as? _BackingData<Model> {
    model._$box = values.box.isEmpty ? nil : values.box
    model._$state.flags.insert(.fresh)
  } else if let other = (values as? _ObjectBacking<Model>)?.model, other !== model {
    for number in Model._$type.properties.indices where other._$isFilled(number) {
      let path = Model._$type.heirPath(number)
      func copy<Value>(_ type: Value.Type) {
        guard let keyPath = path as? KeyPath<Model, Value> else { return }
        model._setValue(keyPath, other._getValue(keyPath))
      }
      _openExistential(type(of: path).valueType, do: copy)
    }
  }
}
