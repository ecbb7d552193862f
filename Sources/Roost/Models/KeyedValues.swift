internal import RoostFile
public import RoostGraph

/// The one way to get and set that all overloads of ``BackingData`` come down to.
public protocol _KeyedValues<Model>: BackingData {
  func _get<Value>(_ keyPath: KeyPath<Model, Value>) -> Value
  func _set<Value>(_ keyPath: KeyPath<Model, Value>, _ value: Value)
}

extension _KeyedValues {
  public func getValue<Value>(forKey: KeyPath<Model, Value>) -> Value where Value: Decodable { _get(forKey) }
  public func getValue<Value>(forKey: KeyPath<Model, Value>) -> Value where Value: PersistentModel { _get(forKey) }
  public func getValue<Value>(forKey: KeyPath<Model, Value?>) -> Value? where Value: PersistentModel { _get(forKey) }
  public func getValue<Value, Other>(forKey: KeyPath<Model, Value>) -> Value
  where Value: RelationshipCollection, Other == Value.PersistentElement { _get(forKey) }
  public func getValue<Value, Other>(forKey: KeyPath<Model, Value>) -> Value
  where Value: Decodable, Value: RelationshipCollection, Other == Value.PersistentElement { _get(forKey) }
  public func getTransformableValue<Value>(forKey: KeyPath<Model, Value>) -> Value { _get(forKey) }

  public func setValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value) where Value: Encodable {
    _set(forKey, newValue)
  }
  public func setValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value) where Value: PersistentModel {
    _set(forKey, newValue)
  }
  public func setValue<Value>(forKey: KeyPath<Model, Value?>, to newValue: Value?)
  where Value: PersistentModel { _set(forKey, newValue) }
  public func setValue<Value, Other>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where Value: RelationshipCollection, Other == Value.PersistentElement { _set(forKey, newValue) }
  public func setValue<Value, Other>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where Value: Encodable, Value: RelationshipCollection, Other == Value.PersistentElement { _set(forKey, newValue) }
  public func setTransformableValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value) {
    _set(forKey, newValue)
  }
}

/// Values that belong to no object yet.
public struct _BackingData<Model: PersistentModel>: _KeyedValues {
  let box = _Box()

  public init() {}
  public init(for modelType: Model.Type) {}

  public var persistentModelID: PersistentIdentifier? {
    get { nil }
    set {}
  }
  public var metadata: Any { [String: Any]() }

  public func _get<Value>(_ keyPath: KeyPath<Model, Value>) -> Value { box.required(keyPath) }
  public func _set<Value>(_ keyPath: KeyPath<Model, Value>, _ value: Value) { box.set(keyPath, value) }
}

/// The values of an object.
public struct _ObjectBacking<Model: PersistentModel>: _KeyedValues {
  private enum Place {
    case object(Model)
    case values(_BackingData<Model>)
  }

  private let place: Place

  public init(_ model: Model) { place = .object(model) }
  public init(for modelType: Model.Type) { place = .values(_BackingData()) }

  var model: Model? { if case .object(let model) = place { model } else { nil } }

  public var persistentModelID: PersistentIdentifier? {
    get { model?.persistentModelID }
    set {}
  }
  public var metadata: Any { [String: Any]() }

  public func _get<Value>(_ keyPath: KeyPath<Model, Value>) -> Value {
    switch place {
    case .object(let model): model._getValue(keyPath)
    case .values(let values): values._get(keyPath)
    }
  }

  public func _set<Value>(_ keyPath: KeyPath<Model, Value>, _ value: Value) {
    switch place {
    case .object(let model): model._setValue(keyPath, value)
    case .values(let values): values._set(keyPath, value)
    }
  }
}

/// What an object keeps for accessors that a user wrote. Its box is made when the first value comes.
public struct _HeldValues<Model: PersistentModel> {
  public var _box: _Box?

  public init() {}

  public func getValue<Value>(forKey keyPath: KeyPath<Model, Value>) -> Value { (_box ?? _Box()).required(keyPath) }
  public func getTransformableValue<Value>(forKey keyPath: KeyPath<Model, Value>) -> Value { getValue(forKey: keyPath) }

  public mutating func setValue<Value>(forKey keyPath: KeyPath<Model, Value>, to newValue: Value) {
    if _box == nil { _box = _Box() }
    _box?.set(keyPath, newValue)
  }
  public mutating func setTransformableValue<Value>(forKey keyPath: KeyPath<Model, Value>, to newValue: Value) {
    setValue(forKey: keyPath, to: newValue)
  }
}

extension _Box {
  fileprivate func required<Model, Value>(_ keyPath: KeyPath<Model, Value>) -> Value {
    guard let value = self.value(keyPath) as? Value else {
      StandardError.stop("\(Model.self) has no value for \(keyPath): it was never set")
    }
    return value
  }
}
