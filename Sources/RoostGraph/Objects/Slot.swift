/// The slot of one property's value; empty while the object is a fault.
public struct _Slot<Value>: ~Copyable {
  @usableFromInline package var value: Value?

  @inlinable public init() { value = nil }
  @inlinable public init(_ value: consuming Value) { self.value = consume value }

  /// The value. The slot must not be empty.
  @inlinable public var _value: Value {
    @inline(__always) get { value.unsafelyUnwrapped }
  }

  @inlinable @inline(__always)
  public mutating func _store(_ value: consuming Value) { self.value = consume value }

  @inlinable public var _isFilled: Bool { value != nil }
  // Inlined, because a visitor's unspecialized code would look up the slot's type at each call.
  @inlinable @inline(__always)
  public mutating func _forget() {
    // The slot is empty when the old value is released, because a `deinit` of your program may read
    // the property. `consume` would not be enough: see `_Held.replace(with:)`.
    let old = value.take()
    withExtendedLifetime(old) {}
  }
}
