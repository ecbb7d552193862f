public import RoostGraph
internal import RoostFile
internal import RoostRecords

/// Makes the type of a model from the code of `@Model`.
public func _makeModelType<Model: PersistentModel>(
  _ model: Model.Type, after superType: _ModelType?, inherited: [AnyKeyPath?] = [], byHand: Set<String> = []
) -> _ModelType {
  modelType(model, after: superType, inherited: inherited, byHand: byHand, judge: superType?.judge)
}

/// - Parameter judge: calls the class's own `validate`; nil if it has none.
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
  /// Whether rows have a field for the property.
  fileprivate var isStored: Bool {
    metadata?.asConstraint == nil && metadata?.asFullText == nil && metadata?.asDerived == nil
      && metadata?.asAttribute?.isTransient != true
  }
}

/// Makes the type of a generic class, which cannot have a static stored property for it.
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

/// Unchecked because the lock guards `types`.
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

/// Returns the class's name, without the types and modules that it is nested in.
///
/// `String(describing:)` prints the same, but asks the runtime for some conformances first.
private func entityName(_ model: any PersistentModel.Type) -> String { _typeName(model, qualified: false) }

/// Returns how a property is stored. The macro gives a coder for most types that it does not know
/// by name; the rest is found out here.
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
    // A value that may be nil twice is not distinguished.
    if wrapped is any OptionalValue.Type { return .none(type) }
  }
  if let codable = type as? any Codable.Type { return .value(_Coder(any: codable)) }
  return .none(type)
}

/// Finds the class of the elements of an array of models.
private protocol ModelList {
  static var model: (any PersistentModel.Type)? { get }
}

extension Array: ModelList {
  fileprivate static var model: (any PersistentModel.Type)? { Element.self as? any PersistentModel.Type }
}

/// Calls a function that is isolated to the class's actor from any thread. It makes key paths and
/// default values, and uses no state of the actor.
public func _anywhere<Function>(_ function: Function) -> [_PropertyMetadata] {
  // The calling convention of isolated functions is the usual one; only the compiler distinguishes
  // them.
  unsafeBitCast(function, to: (() -> [_PropertyMetadata]).self)()
}

/// Calls a function of the main actor that makes key paths from any thread, as ``_anywhere(_:)``
/// does.
public func _paths<Function>(_ function: Function) -> [AnyKeyPath?] {
  unsafeBitCast(function, to: (() -> [AnyKeyPath?]).self)()
}
