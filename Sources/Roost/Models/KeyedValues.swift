internal import RoostFile
public import RoostGraph

/// Getting and setting of values. All overloads of ``BackingData`` call it.
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
  let box: _Box

  public init() { box = _Box() }
  public init(for modelType: Model.Type) { box = _Box() }
  fileprivate init(_ box: _Box) { self.box = box }

  public var persistentModelID: PersistentIdentifier? {
    get { nil }
    set {}
  }
  public var metadata: Any { [String: Any]() }

  public func _get<Value>(_ keyPath: KeyPath<Model, Value>) -> Value { box.required(keyPath, as: declared(keyPath)) }
  public func _set<Value>(_ keyPath: KeyPath<Model, Value>, _ value: Value) { box.set(declared(keyPath), value) }

  /// Returns the key path in the class that declares the property, so that all classes of the
  /// family find one value.
  private func declared(_ keyPath: AnyKeyPath) -> AnyKeyPath {
    Model._$type.number(of: keyPath).map { Model._$type.keyPath($0) } ?? keyPath
  }
}

extension _BackingData: _FamilyValues {
  func _values<Class: PersistentModel>(of type: Class.Type) -> (any BackingData<Class>)? {
    type is Model.Type || Model.self is Class.Type ? _BackingData<Class>(box) : nil
  }
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

extension _ObjectBacking: _FamilyValues {
  func _values<Class: PersistentModel>(of type: Class.Type) -> (any BackingData<Class>)? {
    switch place {
    case .object(let model): (model as? Class).map { _ObjectBacking<Class>($0) }
    case .values(let values): values._values(of: type)
    }
  }
}

/// The values of an object for accessors that the program wrote. The box is made with the first
/// value.
public struct _HeldValues<Model: PersistentModel> {
  public var _box: _Box?

  public init() {}

  public func getValue<Value>(forKey keyPath: KeyPath<Model, Value>) -> Value {
    (_box ?? _Box()).required(keyPath, as: keyPath)
  }
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
  fileprivate func required<Model, Value>(_ keyPath: KeyPath<Model, Value>, as key: AnyKeyPath) -> Value {
    guard let value = self.value(key) as? Value else {
      StandardError.stop("\(Model.self) has no value for \(keyPath): it was never set")
    }
    return value
  }
}
