internal import RoostGraph

/// Where a model's values are kept, by key path.
///
/// Models made by `@Model` keep their values in the object itself. This is for code that was written for SwiftData's own expansion, and for
/// accessors written by hand.
public protocol BackingData<Model> {
  /// The class of the model.
  associatedtype Model: PersistentModel

  /// Makes values for a new model: its defaults.
  init(for modelType: Model.Type)
  /// The model that has the values; nil for values that no model has yet.
  var persistentModelID: PersistentIdentifier? { get set }
  /// Empty here. SwiftData keeps more about its own store in it.
  var metadata: Any { get }

  /// The value of a property.
  func getValue<Value>(forKey: KeyPath<Model, Value>) -> Value where Value: Decodable
  /// The model that a relationship references.
  func getValue<Value>(forKey: KeyPath<Model, Value>) -> Value where Value: PersistentModel
  /// The model that a relationship references; nil if it references none.
  func getValue<Value>(forKey: KeyPath<Model, Value?>) -> Value? where Value: PersistentModel
  /// The models of a relationship to many.
  func getValue<Value, Other>(forKey: KeyPath<Model, Value>) -> Value
  where Value: RelationshipCollection, Other == Value.PersistentElement
  /// The models of a relationship to many, if the list could also be decoded as a value.
  func getValue<Value, Other>(forKey: KeyPath<Model, Value>) -> Value
  where Value: Decodable, Value: RelationshipCollection, Other == Value.PersistentElement
  /// The value of a property that a ``ValueTransformer`` stores.
  func getTransformableValue<Value>(forKey: KeyPath<Model, Value>) -> Value

  /// Sets a property. Its model is changed by it, as by the property's setter.
  func setValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value) where Value: Encodable
  /// Lets a relationship reference another model.
  func setValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value) where Value: PersistentModel
  /// Lets a relationship reference another model, or none.
  func setValue<Value>(forKey: KeyPath<Model, Value?>, to newValue: Value?) where Value: PersistentModel
  /// Sets the models of a relationship to many.
  func setValue<Value, Other>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where Value: RelationshipCollection, Other == Value.PersistentElement
  /// Sets the models of a relationship to many, if the list could also be encoded as a value.
  func setValue<Value, Other>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where Value: Encodable, Value: RelationshipCollection, Other == Value.PersistentElement
  /// Sets a property that a ``ValueTransformer`` stores.
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
