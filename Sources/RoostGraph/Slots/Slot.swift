/// Where an object keeps the value of one property, or nothing while it is a fault.
public struct _Slot<Value>: ~Copyable {
  @usableFromInline package var value: Value?

  @inlinable public init() { value = nil }
  @inlinable public init(_ value: consuming Value) { self.value = consume value }

  // MARK: For the accessors

  /// The value; where the object is not ready it is asked first. It is mutating because the object may fill the slot meanwhile.
  @inlinable @inline(__always)
  public mutating func _get(_ isReady: Bool, _ object: some _ModelObject, _ property: Int) -> Value {
    if isReady { return value.unsafelyUnwrapped }
    return _Slots.get(object, property, &self)
  }

  /// Stores a value; where that is not free the object is told.
  @inlinable @inline(__always)
  public mutating func _set(_ new: consuming Value, _ isFree: Bool, _ object: some _ModelObject, _ property: Int) {
    if isFree {
      value = consume new
    } else {
      _Slots.set(object, property, &self, consume new)
    }
  }

  /// Moves the value out, so that it can be changed without a copy of it.
  @inlinable
  public mutating func _lend(_ isFree: Bool, _ object: some _ModelObject, _ property: Int) -> Value {
    _Slots.lend(isFree, object, property, &self)
  }

  /// Moves it back.
  @inlinable
  public mutating func _giveBack(_ new: Value, _ isFree: Bool, _ object: some _ModelObject, _ property: Int) {
    value = new
    _Slots.giveBack(isFree, object, property)
  }

  // MARK: For everybody else

  /// The value. There must be one.
  @inlinable public var _value: Value {
    @inline(__always) get { value.unsafelyUnwrapped }
  }

  @inlinable @inline(__always)
  public mutating func _store(_ value: consuming Value) { self.value = consume value }

  @inlinable public var _isFilled: Bool { value != nil }
  @inlinable public mutating func _forget() {
    // Nothing is there any more when it ends: it may be a user's object, whose `deinit` reads the property.
    let old = value.take()
    _ = consume old
  }
}
