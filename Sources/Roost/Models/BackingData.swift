internal import RoostGraph

/// The values of a model, by key path.
///
/// Models of `@Model` keep their values in the object itself. This protocol is for code that was
/// written for SwiftData's own expansion, and for accessors written by hand.
public protocol BackingData<Model> {
  /// The class of the model.
  associatedtype Model: PersistentModel

  /// Makes values for a new model: its defaults.
  init(for modelType: Model.Type)
  /// The identifier of the model that has the values; nil if no model has them yet.
  var persistentModelID: PersistentIdentifier? { get set }
  /// Empty in Roost. SwiftData keeps data about its own store in it.
  var metadata: Any { get }

  /// Returns the value of a property.
  func getValue<Value>(forKey: KeyPath<Model, Value>) -> Value where Value: Decodable
  /// Returns the model that a relationship references.
  func getValue<Value>(forKey: KeyPath<Model, Value>) -> Value where Value: PersistentModel
  /// Returns the model that a relationship references; nil if it references none.
  func getValue<Value>(forKey: KeyPath<Model, Value?>) -> Value? where Value: PersistentModel
  /// Returns the models of a to-many relationship.
  func getValue<Value, Other>(forKey: KeyPath<Model, Value>) -> Value
  where Value: RelationshipCollection, Other == Value.PersistentElement
  /// Returns the models of a to-many relationship, if the list could also be decoded as a value.
  func getValue<Value, Other>(forKey: KeyPath<Model, Value>) -> Value
  where Value: Decodable, Value: RelationshipCollection, Other == Value.PersistentElement
  /// Returns the value of a property that a ``ValueTransformer`` stores.
  func getTransformableValue<Value>(forKey: KeyPath<Model, Value>) -> Value

  /// Sets a property of the model, as the property's setter does.
  func setValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value) where Value: Encodable
  /// Sets the model that a relationship references.
  func setValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value) where Value: PersistentModel
  /// Sets the model that a relationship references, or nil.
  func setValue<Value>(forKey: KeyPath<Model, Value?>, to newValue: Value?) where Value: PersistentModel
  /// Sets the models of a to-many relationship.
  func setValue<Value, Other>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where Value: RelationshipCollection, Other == Value.PersistentElement
  /// Sets the models of a to-many relationship, if the list could also be encoded as a value.
  func setValue<Value, Other>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where Value: Encodable, Value: RelationshipCollection, Other == Value.PersistentElement
  /// Sets a property that a ``ValueTransformer`` stores.
  func setTransformableValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value)
}

extension BackingData {
  /// Returns these values by the key paths of another class of the family, for code that was
  /// written for SwiftData's own expansion.
  ///
  /// If the values belong to an object of another class, or neither class inherits from the other,
  /// the result has no values, as after ``init(for:)``.
  public func _generateCurrentClassBackingData<Class: PersistentModel>() -> any BackingData<Class> {
    if let same = self as? any BackingData<Class> { return same }
    return (self as? any _FamilyValues)?._values(of: Class.self) ?? _BackingData<Class>()
  }

  /// Returns these values by the key paths of a superclass of `model`. For any other class the
  /// result has no values.
  public func _superClassBackingData<Superclass: PersistentModel>(
    of model: any PersistentModel.Type
  ) -> any BackingData<Superclass> {
    model is Superclass.Type ? _generateCurrentClassBackingData() : _BackingData<Superclass>()
  }
}

/// Values that another class of the family can have too.
protocol _FamilyValues {
  /// Returns nil if the class does not fit.
  func _values<Class: PersistentModel>(of type: Class.Type) -> (any BackingData<Class>)?
}
