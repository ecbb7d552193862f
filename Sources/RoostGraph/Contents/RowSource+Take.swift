/// The functions that generated code calls, by the types of the slots. `wanted` has a bit for each
/// property to read.
extension _RowSource {
  /// Reads a value of a type that the macro knows by name.
  @inlinable @inline(__always)
  public mutating func _takeKnown<Value: _Storable>(_ slot: inout _Slot<Value>, _ property: Int, _ wanted: UInt64) {
    if wanted & _ModelState.bit(property) == 0 { return }
    if lazy & _ModelState.bit(property) != 0 {
      // A new object's slot is empty: a test is cheaper than releasing nothing.
      if slot.value != nil { slot._forget() }
      return
    }
    slot.value = Value._$take(from: &self, at: property)
  }

  /// Reads a value of a type of fixed size, which is never lazy.
  @inlinable @inline(__always)
  public mutating func _takeKnown<Value: _StorableBits>(_ slot: inout _Slot<Value>, _ property: Int, _ wanted: UInt64) {
    if wanted & _ModelState.bit(property) == 0 { return }
    slot.value = Value._$take(from: &self, at: property)
  }

  /// Reads a value of any other type with its coder.
  public mutating func _take<Value>(_ slot: inout _Slot<Value>, _ property: Int, _ wanted: UInt64) {
    if wanted & _ModelState.bit(property) == 0 { return }
    if lazy & _ModelState.bit(property) != 0 {
      // A new object's slot is empty: a test is cheaper than releasing nothing.
      if slot.value != nil { slot._forget() }
      return
    }
    let coder = unsafeDowncast(plan.coder(property), to: Coder<Value>.self)
    slot.value = coder.take(from: &self, at: property)
  }

  // Compiled into the user's module, where the model is known. Otherwise each row would look up its
  // slots' types.
  @inlinable @inline(__always)
  public mutating func _take<Model: _ModelObject>(_ slot: inout _ToOne<Model>, _ property: Int, _ wanted: UInt64) {
    if wanted & _ModelState.bit(property) == 0 { return }
    if slot.held.bits != 0 { slot.object = nil }
    if places[property].kind == .none {
      slot.row = _ToOne<Model>.unknown
    } else {
      slot.row = _isNull(property) ? _ToOne<Model>.nothing : _load(property, as: UInt64.self)
    }
  }

  @inlinable @inline(__always)
  public mutating func _take<Model: _ModelObject>(
    _ slot: inout _ToOneAlways<Model>, _ property: Int, _ wanted: UInt64
  ) { _take(&slot.slot, property, wanted) }

  /// Empties the slot. The members are loaded when the program reads them.
  @inlinable @inline(__always)
  public mutating func _take<Model: _ModelObject>(_ slot: inout _ToMany<Model>, _ property: Int, _ wanted: UInt64) {
    if wanted & _ModelState.bit(property) != 0, slot.held.bits != 0 { slot._forget() }
  }
  @inlinable @inline(__always)
  public mutating func _take<Model: _ModelObject>(
    _ slot: inout _ToManyOrNil<Model>, _ property: Int, _ wanted: UInt64
  ) { _take(&slot.slot, property, wanted) }

  /// Reads a value that accessors written by hand keep in the object's box.
  public mutating func _take<Value>(
    _ box: inout _Box?, _ type: Value.Type, _ property: Int, _ wanted: UInt64
  ) {
    if wanted & _ModelState.bit(property) == 0 { return }
    guard let value = unsafeDowncast(plan.coder(property), to: Coder<Value>.self).take(from: &self, at: property) else {
      return
    }
    if box == nil { box = _Box() }
    box?.set(plan.keyPath(property), value)
  }
}
