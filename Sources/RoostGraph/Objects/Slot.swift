/// Where an object keeps the value of one property, or nothing while it is a fault.
public struct _Slot<Value>: ~Copyable {
  @usableFromInline package var value: Value?

  @inlinable public init() { value = nil }
  @inlinable public init(_ value: consuming Value) { self.value = consume value }

  /// The value. There must be one.
  @inlinable public var _value: Value {
    @inline(__always) get { value.unsafelyUnwrapped }
  }

  @inlinable @inline(__always)
  public mutating func _store(_ value: consuming Value) { self.value = consume value }

  @inlinable public var _isFilled: Bool { value != nil }
  // Inlined, because a visitor's unspecialised code would make the slot's type at each call.
  @inlinable @inline(__always)
  public mutating func _forget() {
    // The slot is empty when the old value ends, because a `deinit` of your program's may read the property. `consume` would not be
    // enough: see `_Held.replace(with:)`.
    let old = value.take()
    withExtendedLifetime(old) {}
  }
}
