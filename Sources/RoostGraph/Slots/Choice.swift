/// Empty slots by the type of a property, where only the compiler can tell what the type is.
@inlinable public func _slot<Model: _ModelObject>(for type: Model.Type) -> _ToOneAlways<Model> { _ToOneAlways() }
@inlinable public func _slot<Model: _ModelObject>(for type: Model?.Type) -> _ToOne<Model> { _ToOne() }
@inlinable public func _slot<Model: _ModelObject>(for type: [Model].Type) -> _ToMany<Model> { _ToMany() }
@inlinable public func _slot<Model: _ModelObject>(for type: [Model]?.Type) -> _ToManyOrNil<Model> { _ToManyOrNil() }
@_disfavoredOverload
@inlinable public func _slot<Value: Codable>(for type: Value.Type) -> _Slot<Value> { _Slot() }

/// The same from an expression that is never computed.
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
@inlinable public func _slot<Value: Codable>(like value: @autoclosure () -> Value) -> _Slot<Value> { _Slot() }
