/// Where an object keeps the value of one property, or nothing while it is a fault.
public struct _Slot<Value>: ~Copyable {
  @usableFromInline package var value: Value?

  @inlinable public init() { value = nil }
  @inlinable public init(_ value: consuming Value) { self.value = consume value }
  /// Empty too; the expression is there for its type alone, and never computed.
  @inlinable public init(like expression: @autoclosure () -> Value) { value = nil }

  /// Whether the getter needs nobody's help, once the object is ready.
  @inlinable public var _isAtHand: Bool {
    @inline(__always) get { true }
  }

  /// The value. There must be one.
  @inlinable public var _value: Value {
    @inline(__always) get { value.unsafelyUnwrapped }
  }

  @inlinable @inline(__always)
  public mutating func _store(_ value: consuming Value) { self.value = consume value }

  @inlinable @inline(__always)
  public func _mayStore(_ state: borrowing _ModelState, _ property: Int) -> Bool { state._isFree(property) }

  /// The value, after the object was asked for it.
  @inlinable
  public func _read(_ object: some _ModelObject, _ property: Int) -> Value {
    guard let value else { _Slots.stop(object, property) }
    return value
  }

  /// Moves the value out, so that it can be changed without a copy of it.
  @inlinable
  public mutating func _take(_ object: some _ModelObject, _ property: Int) -> Value {
    guard let value else { _Slots.stop(object, property) }
    self.value = nil
    return value
  }

  @inlinable public var _isFilled: Bool { value != nil }
  @inlinable public mutating func _forget() { value = nil }
}

@usableFromInline enum _Slots {
  @usableFromInline @inline(never)
  static func stop(_ object: some _ModelObject, _ property: Int) -> Never {
    if object._$state.flags.isDisjoint(with: .lent) { object._$stop(property, "has no value: it was never set") }
    object._$stop(property, "is used while it is being changed")
  }
}
