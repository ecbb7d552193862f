public import RoostGraph
internal import RoostFile
internal import RoostRecords

/// Makes the type of a model from what `@Model` tells of it.
public func _makeModelType<Model: PersistentModel>(
  _ model: Model.Type, after superType: _ModelType?, inherited: [AnyKeyPath?] = [], byHand: Set<String> = []
) -> _ModelType {
  modelType(model, after: superType, inherited: inherited, byHand: byHand, judge: superType?.judge)
}

/// - Parameter judge: calls the class's own `validate`; nil where it has none.
func modelType<Model: PersistentModel>(
  _ model: Model.Type, after superType: _ModelType?, inherited: [AnyKeyPath?], byHand: Set<String>,
  judge: ObjectJudge?
) -> _ModelType {
  var own: [_ModelType.Property] = []
  let metadata = Model.schemaMetadata
  let derived = metadata.compactMap { $0.metadata?.asDerived }
  for property in metadata where property.isStored {
    let type = type(of: property.keypath).valueType
    var described = _ModelType.Property(
      name: property.name, keyPath: property.keypath, storage: storage(type, property.coder),
      isByHand: byHand.contains(property.name))
    if property.defaultValue != nil {
      let name = property.name
      described.initial = { Model.schemaMetadata.first { $0.name == name }?.defaultValue }
    }
    if let compute = derived.first(where: { $0.name == property.name })?.compute {
      described.compute = { object in compute(object) }
    }
    own.append(described)
  }
  let made = _ModelType(
    model, name: entityName(model), superType: superType, own: own, heirPaths: inherited, judge: judge)
  ModelNames.shared.add(made)
  return made
}

extension Schema.PropertyMetadata {
  /// Whether it describes a property that rows have.
  fileprivate var isStored: Bool {
    metadata?.asConstraint == nil && metadata?.asFullText == nil && metadata?.asDerived == nil
      && metadata?.asAttribute?.isTransient != true
  }
}

/// The same for a generic class, which has no place of its own where its type could stand.
public func _registeredModelType<Model: PersistentModel>(
  _ model: Model.Type, after superType: @autoclosure () -> _ModelType?,
  inherited: @autoclosure () -> [AnyKeyPath?] = [], byHand: Set<String> = []
) -> _ModelType {
  registered(model) { _makeModelType(model, after: superType(), inherited: inherited(), byHand: byHand) }
}

func registered<Model: PersistentModel>(_ model: Model.Type, _ make: () -> _ModelType) -> _ModelType {
  if let known = registry.find(model) { return known }
  return registry.add(model, make())
}

private let registry = Registry()

/// Unchecked because of `types`, which is read and written under the lock.
private final class Registry: @unchecked Sendable {
  private let lock = Lock()
  private var types: [ObjectIdentifier: _ModelType] = [:]

  func find(_ model: any PersistentModel.Type) -> _ModelType? { lock.withLock { types[ObjectIdentifier(model)] } }

  func add(_ model: any PersistentModel.Type, _ type: _ModelType) -> _ModelType {
    lock.withLock {
      if let first = types[ObjectIdentifier(model)] { return first }
      types[ObjectIdentifier(model)] = type
      return type
    }
  }
}

/// The class's name, without those of the types and modules it is nested in.
///
/// It is what `String(describing:)` prints, which asks the runtime for some conformances first.
private func entityName(_ model: any PersistentModel.Type) -> String { _typeName(model, qualified: false) }

/// How a property is stored. The macro's coder tells it for most types that the macro does not know by their names; the rest is found out here.
private func storage(_ type: Any.Type, _ coder: _Coder?) -> _ModelType.Storage {
  if let coder { return coder.storage }
  if let plain = PlainType.of(type) { return .value(_Coder { () throws(RecordFault) in plain.coder() }) }
  if let model = type as? any PersistentModel.Type { return .toOne(.init(model, isOptional: false)) }
  if let list = type as? any ModelList.Type, let model = list.model { return .toMany(.init(model, isOptional: false)) }
  if let optional = type as? any OptionalValue.Type {
    let wrapped = optional.wrapped
    if let model = wrapped as? any PersistentModel.Type { return .toOne(.init(model, isOptional: true)) }
    if let list = wrapped as? any ModelList.Type, let model = list.model {
      return .toMany(.init(model, isOptional: true))
    }
    // What is nil twice over is not kept apart.
    if wrapped is any OptionalValue.Type { return .none(type) }
  }
  if let codable = type as? any Codable.Type { return .value(_Coder(any: codable)) }
  return .none(type)
}

/// Tells what an array holds, if these are models.
private protocol ModelList {
  static var model: (any PersistentModel.Type)? { get }
}

extension Array: ModelList {
  fileprivate static var model: (any PersistentModel.Type)? { Element.self as? any PersistentModel.Type }
}

/// Calls a function of a class's own actor from anywhere: it makes key paths and default values, and touches nothing of that actor's.
public func _anywhere<Function>(_ function: Function) -> [_PropertyMetadata] {
  // A function of an actor is called as any other; only the compiler tells them apart.
  unsafeBitCast(function, to: (() -> [_PropertyMetadata]).self)()
}

/// Calls a function of the main actor that makes key paths from anywhere, as ``_anywhere(_:)`` calls one that describes properties.
public func _paths<Function>(_ function: Function) -> [AnyKeyPath?] {
  unsafeBitCast(function, to: (() -> [AnyKeyPath?]).self)()
}
