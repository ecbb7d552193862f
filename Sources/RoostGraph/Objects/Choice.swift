/// An empty slot for the type of a property, for types that only the compiler can determine.
@inlinable public func _slot<Model: _ModelObject>(for type: Model.Type) -> _ToOneAlways<Model> { _ToOneAlways() }
@inlinable public func _slot<Model: _ModelObject>(for type: Model?.Type) -> _ToOne<Model> { _ToOne() }
@inlinable public func _slot<Model: _ModelObject>(for type: [Model].Type) -> _ToMany<Model> { _ToMany() }
@inlinable public func _slot<Model: _ModelObject>(for type: [Model]?.Type) -> _ToManyOrNil<Model> { _ToManyOrNil() }
@_disfavoredOverload
@inlinable public func _slot<Value>(for type: Value.Type) -> _Slot<Value> { _Slot() }
/// An optional property is nil until it is set.
@_disfavoredOverload
@inlinable public func _slot<Value>(for type: Value?.Type) -> _Slot<Value?> { _Slot(nil) }

// Slots for the type of an expression, which is never evaluated.

@inlinable public func _slot<Model: _ModelObject>(like value: @autoclosure () -> Model) -> _ToOneAlways<Model> {
  _ToOneAlways()
}
@inlinable public func _slot<Model: _ModelObject>(like value: @autoclosure () -> Model?) -> _ToOne<Model> { _ToOne() }
@inlinable public func _slot<Model: _ModelObject>(like value: @autoclosure () -> [Model]) -> _ToMany<Model> {
  _ToMany()
}
@inlinable public func _slot<Model: _ModelObject>(like value: @autoclosure () -> [Model]?) -> _ToManyOrNil<Model> {
  _ToManyOrNil()
}
@_disfavoredOverload
@inlinable public func _slot<Value>(like value: @autoclosure () -> Value) -> _Slot<Value> { _Slot() }

// Every value that is stored in a slot passes one of these functions. So the compiler rejects a
// type that cannot be stored, at the declaration of the property.

@inlinable @inline(__always)
public func _stored<Model: _ModelObject>(_ value: consuming Model) -> Model { value }
@inlinable @inline(__always)
public func _stored<Model: _ModelObject>(_ value: consuming Model?) -> Model? { value }
@inlinable @inline(__always)
public func _stored<Model: _ModelObject>(_ value: consuming [Model]) -> [Model] { value }
@inlinable @inline(__always)
public func _stored<Model: _ModelObject>(_ value: consuming [Model]?) -> [Model]? { value }
@_disfavoredOverload
@inlinable @inline(__always)
public func _stored<Value: Codable>(_ value: consuming Value) -> Value { value }
@_disfavoredOverload
@available(
  *, unavailable,
  message: "a value of this type cannot be stored: make the type Codable, or mark the property @Transient"
)
public func _stored<Value>(_ value: Value) -> Value { value }

/// Checks values of properties that are marked as relationships.
@inlinable @inline(__always)
public func _related<Model: _ModelObject>(_ value: consuming Model) -> Model { value }
@inlinable @inline(__always)
public func _related<Model: _ModelObject>(_ value: consuming Model?) -> Model? { value }
@inlinable @inline(__always)
public func _related<Model: _ModelObject>(_ value: consuming [Model]) -> [Model] { value }
@inlinable @inline(__always)
public func _related<Model: _ModelObject>(_ value: consuming [Model]?) -> [Model]? { value }
@_disfavoredOverload
@available(
  *, unavailable,
  message:
    "the type of a relationship is a model, an optional model, or an array of models: mark its class @Model, or remove @Relationship"
)
public func _related<Value>(_ value: Value) -> Value { value }

// The overloads that the compiler chooses for relationships.

public func _coder<Model: _ModelObject>(for type: Model.Type) -> _Coder? {
  _Coder(relationship: .toOne(.init(Model.self, isOptional: false)))
}
public func _coder<Model: _ModelObject>(for type: Model?.Type) -> _Coder? {
  _Coder(relationship: .toOne(.init(Model.self, isOptional: true)))
}
public func _coder<Model: _ModelObject>(for type: [Model].Type) -> _Coder? {
  _Coder(relationship: .toMany(.init(Model.self, isOptional: false)))
}
public func _coder<Model: _ModelObject>(for type: [Model]?.Type) -> _Coder? {
  _Coder(relationship: .toMany(.init(Model.self, isOptional: true)))
}
public func _coder<Model: _ModelObject>(like value: Model) -> _Coder? { _coder(for: Model.self) }
public func _coder<Model: _ModelObject>(like value: Model?) -> _Coder? { _coder(for: Model?.self) }
public func _coder<Model: _ModelObject>(like value: [Model]) -> _Coder? { _coder(for: [Model].self) }
public func _coder<Model: _ModelObject>(like value: [Model]?) -> _Coder? { _coder(for: [Model]?.self) }
