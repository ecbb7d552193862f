internal import RoostGraph

/// Where a model's values are kept, by key path.
///
/// Models made by `@Model` keep their values in the object itself. This is for code that was written for SwiftData's own expansion, and for
/// accessors written by hand.
public protocol BackingData<Model> {
  associatedtype Model: PersistentModel

  init(for modelType: Model.Type)
  var persistentModelID: PersistentIdentifier? { get set }
  var metadata: Any { get }

  func getValue<Value>(forKey: KeyPath<Model, Value>) -> Value where Value: Decodable
  func getValue<Value>(forKey: KeyPath<Model, Value>) -> Value where Value: PersistentModel
  func getValue<Value>(forKey: KeyPath<Model, Value?>) -> Value? where Value: PersistentModel
  func getValue<Value, Other>(forKey: KeyPath<Model, Value>) -> Value
  where Value: RelationshipCollection, Other == Value.PersistentElement
  func getValue<Value, Other>(forKey: KeyPath<Model, Value>) -> Value
  where Value: Decodable, Value: RelationshipCollection, Other == Value.PersistentElement
  func getTransformableValue<Value>(forKey: KeyPath<Model, Value>) -> Value

  func setValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value) where Value: Encodable
  func setValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value) where Value: PersistentModel
  func setValue<Value>(forKey: KeyPath<Model, Value?>, to newValue: Value?) where Value: PersistentModel
  func setValue<Value, Other>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where Value: RelationshipCollection, Other == Value.PersistentElement
  func setValue<Value, Other>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where Value: Encodable, Value: RelationshipCollection, Other == Value.PersistentElement
  func setTransformableValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value)
}

extension BackingData {
  /// These values by the key paths of another class of the family, for code that was written for SwiftData's own expansion.
  ///
  /// If the values belong to an object of another class, or neither class inherits from the other, the result has no values, as after
  /// ``init(for:)``.
  public func _generateCurrentClassBackingData<Class: PersistentModel>() -> any BackingData<Class> {
    if let same = self as? any BackingData<Class> { return same }
    return (self as? any _FamilyValues)?._values(of: Class.self) ?? _BackingData<Class>()
  }

  /// These values by the key paths of a class from which `model` inherits. Of any other class the result has no values.
  public func _superClassBackingData<Superclass: PersistentModel>(
    of model: any PersistentModel.Type
  ) -> any BackingData<Superclass> {
    model is Superclass.Type ? _generateCurrentClassBackingData() : _BackingData<Superclass>()
  }
}

/// Values that another class of the family can have too.
protocol _FamilyValues {
  /// nil if the class does not fit.
  func _values<Class: PersistentModel>(of type: Class.Type) -> (any BackingData<Class>)?
}
