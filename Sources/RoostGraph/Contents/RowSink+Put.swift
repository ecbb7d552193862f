internal import RoostRecords

/// The functions that generated code calls, by the types of the slots. `wanted` has a bit for each
/// property to write.
extension _RowSink {
  /// Writes a value of a type that the macro knows by name.
  @inlinable @inline(__always)
  public mutating func _putKnown<Value: _Storable>(
    _ slot: borrowing _Slot<Value>, _ property: Int, _ wanted: UInt64
  ) {
    if wanted & _ModelState.bit(property) == 0 { return }
    guard slot._isFilled else { return _missing(property) }
    slot._value._$put(into: &self, at: property)
  }

  /// Writes a value of any other type with its coder.
  public mutating func _put<Value>(_ slot: borrowing _Slot<Value>, _ property: Int, _ wanted: UInt64) {
    if wanted & _ModelState.bit(property) == 0 { return }
    guard slot._isFilled else { return _missing(property) }
    let coder = unsafeDowncast(plan.coder(property), to: Coder<Value>.self)
    coder.put(slot._value, into: &self, at: property)
  }

  @inlinable @inline(__always)
  public mutating func _put<Model: _ModelObject>(
    _ slot: borrowing _ToOne<Model>, _ property: Int, _ wanted: UInt64
  ) {
    if wanted & _ModelState.bit(property) == 0 || places[property].kind == .none { return }
    let row = slot.held.bits == 0 ? slot.row : slot.object?._$state.row ?? 0
    if row == 0 || row >= _ToOne<Model>.nothing { _setNull(at: property) } else { _store(row, at: property) }
  }

  @inlinable @inline(__always)
  public mutating func _put<Model: _ModelObject>(
    _ slot: borrowing _ToOneAlways<Model>, _ property: Int, _ wanted: UInt64
  ) { _put(slot.slot, property, wanted) }

  /// A to-many relationship writes nothing: its members are not stored in the owner's row.
  @inlinable @inline(__always)
  public mutating func _put<Model: _ModelObject>(
    _ slot: borrowing _ToMany<Model>, _ property: Int, _ wanted: UInt64
  ) {}
  @inlinable @inline(__always)
  public mutating func _put<Model: _ModelObject>(
    _ slot: borrowing _ToManyOrNil<Model>, _ property: Int, _ wanted: UInt64
  ) {}

  /// Writes a value that accessors written by hand keep in the object's box.
  public mutating func _put<Value>(_ box: _Box?, _ type: Value.Type, _ property: Int, _ wanted: UInt64) {
    if wanted & _ModelState.bit(property) == 0 { return }
    guard let value = box?.value(plan.keyPath(property)) as? Value else { return _missing(property) }
    unsafeDowncast(plan.coder(property), to: Coder<Value>.self).put(value, into: &self, at: property)
  }

  /// Handles a property that was never set: the row stores nil if that is allowed.
  @usableFromInline @inline(never)
  mutating func _missing(_ property: Int) {
    let place = places[property]
    if place.kind == .none || place.nullMask != 0 && !place.isNeeded { return }
    refuse(property, RecordFault(.missing, "it was never set"))
  }
}
