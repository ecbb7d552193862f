public import RoostGraph

/// The one way to get and set that all overloads of ``BackingData`` come down to.
public protocol _KeyedValues<Model>: BackingData {
  func _get<Value>(_ keyPath: KeyPath<Model, Value>) -> Value
  mutating func _set<Value>(_ keyPath: KeyPath<Model, Value>, _ value: Value)
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

  public mutating func setValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value) where Value: Encodable {
    _set(forKey, newValue)
  }
  public mutating func setValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value) where Value: PersistentModel {
    _set(forKey, newValue)
  }
  public mutating func setValue<Value>(forKey: KeyPath<Model, Value?>, to newValue: Value?)
  where Value: PersistentModel { _set(forKey, newValue) }
  public mutating func setValue<Value, Other>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where Value: RelationshipCollection, Other == Value.PersistentElement { _set(forKey, newValue) }
  public mutating func setValue<Value, Other>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where Value: Encodable, Value: RelationshipCollection, Other == Value.PersistentElement { _set(forKey, newValue) }
  public mutating func setTransformableValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value) {
    _set(forKey, newValue)
  }
}

/// Values that belong to no object yet. Its box is made when the first one comes.
public struct _BackingData<Model: PersistentModel>: _KeyedValues {
  public var _box: _Box?

  public init() { _box = nil }
  public init(for modelType: Model.Type) { _box = nil }

  public var persistentModelID: PersistentIdentifier? {
    get { nil }
    set {}
  }
  public var metadata: Any { [String: Any]() }

  public func _get<Value>(_ keyPath: KeyPath<Model, Value>) -> Value {
    guard let value = _box?.value(keyPath) as? Value else {
      preconditionFailure("\(Model.self) has no value for \(keyPath): it was never set")
    }
    return value
  }

  public mutating func _set<Value>(_ keyPath: KeyPath<Model, Value>, _ value: Value) {
    if _box == nil { _box = _Box() }
    _box?.set(keyPath, value)
  }
}

/// The values of an object.
public struct _ObjectBacking<Model: PersistentModel>: _KeyedValues {
  let model: Model?
  private var values = _BackingData<Model>()

  public init(_ model: Model) { self.model = model }
  public init(for modelType: Model.Type) { model = nil }

  public var persistentModelID: PersistentIdentifier? {
    get { model?.persistentModelID }
    set {}
  }
  public var metadata: Any { [String: Any]() }

  public func _get<Value>(_ keyPath: KeyPath<Model, Value>) -> Value {
    model?._getValue(keyPath) ?? values._get(keyPath)
  }

  public mutating func _set<Value>(_ keyPath: KeyPath<Model, Value>, _ value: Value) {
    if let model { model._setValue(keyPath, value) } else { values._set(keyPath, value) }
  }
}
