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
