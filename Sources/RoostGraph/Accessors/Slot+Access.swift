/// The getter and the setter of a value.
extension _Slot {
  /// The value. If the object is not ready, it is called first. Mutating because the object may
  /// fill the slot then.
  @inlinable @inline(__always)
  public mutating func _get(_ isReady: Bool, _ object: some _ModelObject, _ property: Int) -> Value {
    if isReady, let value { return value }
    return _Slots.get(object, property, slot: &self)
  }

  /// Stores a value. If the store is not free, the object is told.
  @inlinable @inline(__always)
  public mutating func _set(_ new: consuming Value, _ isFree: Bool, _ object: some _ModelObject, _ property: Int) {
    if isFree {
      value = consume new
    } else {
      _Slots.set(object, property, slot: &self, new: consume new)
    }
  }

  /// Moves the value out, so that it can be changed without a copy.
  @inlinable
  public mutating func _lend(_ isFree: Bool, _ object: some _ModelObject, _ property: Int) -> Value {
    _Slots.lend(isFree, object, property: property, slot: &self)
  }

  /// Moves the value back.
  @inlinable
  public mutating func _giveBack(_ new: Value, _ isFree: Bool, _ object: some _ModelObject, _ property: Int) {
    value = new
    _Slots.giveBack(isFree, object, property: property)
  }
}

// Most lazy values are texts, so their getters read the kept row without generic code.

extension _Slot where Value == String {
  @inlinable @inline(__always)
  public mutating func _get(_ isReady: Bool, _ object: some _ModelObject, _ property: Int) -> String {
    if isReady, let value { return value }
    return _Slots.text(object, property, slot: &self)
  }
}

extension _Slot where Value == String? {
  @inlinable @inline(__always)
  public mutating func _get(_ isReady: Bool, _ object: some _ModelObject, _ property: Int) -> String? {
    if isReady, let value { return value }
    return _Slots.text(object, property, slot: &self)
  }
}

/// The slow paths of the accessors.
///
/// While they call the object, its origin may fill the same slot that the accessor uses. So they
/// reach the slot by its address in the object's storage, and only after the call.
@usableFromInline enum _Slots {
  @inlinable @inline(never)
  static func get<Value>(
    _ object: some _ModelObject, _ property: Int, slot: UnsafeMutablePointer<_Slot<Value>>
  ) -> Value {
    object._$willRead(property)
    if let value = slot.pointee.value { return value }
    giveDefault(object, property)
    guard let value = slot.pointee.value else { stop(object, property) }
    return value
  }

  @inlinable @inline(never)
  static func text(_ object: some _ModelObject, _ property: Int, slot: UnsafeMutablePointer<_Slot<String>>) -> String {
    guard object._$state._isReady, let text = object._$state._text(property) else {
      return get(object, property, slot: slot)
    }
    slot.pointee.value = text
    return text
  }

  @inlinable @inline(never)
  static func text(_ object: some _ModelObject, _ property: Int, slot: UnsafeMutablePointer<_Slot<String?>>) -> String?
  {
    guard object._$state._isReady, let text = object._$state._textOrNil(property) else {
      return get(object, property, slot: slot)
    }
    slot.pointee.value = .some(text)
    return text
  }

  @inlinable @inline(never)
  static func set<Value>(
    _ object: some _ModelObject, _ property: Int, slot: UnsafeMutablePointer<_Slot<Value>>, new: consuming Value
  ) {
    object._$willWrite(property)
    slot.pointee.value = consume new
    object._$didWrite(property)
  }

  @inlinable @inline(never)
  static func lend<Value>(
    _ isFree: Bool, _ object: some _ModelObject, property: Int, slot: UnsafeMutablePointer<_Slot<Value>>
  ) -> Value {
    if !isFree { object._$willModify(property) }
    if slot.pointee.value == nil { giveDefault(object, property) }
    guard let value = slot.pointee.value.take() else { stop(object, property) }
    object._$state._lend()
    return value
  }

  @inlinable @inline(never)
  static func giveBack(_ isFree: Bool, _ object: some _ModelObject, property: Int) {
    object._$state._giveBack()
    // The changes up to now may have been rolled back meanwhile.
    if !isFree || !object._$state._isFree(property) { object._$didWrite(property) }
  }

  /// Sets a property that was never set. Its value may be in the box. Otherwise it gets its
  /// declared default, in an object that was made without the user's initializers.
  @usableFromInline @inline(never)
  static func giveDefault(_ object: some _ModelObject, _ property: Int) {
    guard object._$state.flags.isDisjoint(with: .lent) else { return }
    object.settle()
    if !object._$isFilled(property) { object._$fill(property, orEmpty: false) }
  }

  @usableFromInline @inline(never)
  static func stop(_ object: some _ModelObject, _ property: Int) -> Never {
    if !object._$state.flags.isDisjoint(with: .lent) { object._$stop(property, "is used while it is being changed") }
    if object._$state.flags.contains(.invalid) {
      object._$stop(
        property,
        "could not be read, and its type has no empty value: give it a default, make it optional, or call load(_:) first, which throws"
      )
    }
    object._$stop(property, "has no value: it was never set; set it first, or give it a default")
  }
}
