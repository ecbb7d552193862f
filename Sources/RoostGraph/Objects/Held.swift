/// A reference or array that is not released automatically.
///
/// Its owner decides when and how to release it: a slot passes it to ``_Release``. A stored
/// property would be released after the slot's own `deinit`, in nested calls along a chain of
/// objects.
@usableFromInline struct _Held<Value>: ~Copyable {
  /// The value's bytes: one word, whatever its type. Nil is 0.
  @usableFromInline var bits: UInt = 0

  @inlinable init(_ value: __owned Value) {
    precondition(MemoryLayout<Value>.size == MemoryLayout<UInt>.size)
    put(value)
  }

  /// Takes over the value of another slot that was destroyed.
  @inlinable init(bits: UInt) { self.bits = bits }

  @inlinable @inline(__always)
  mutating func put(_ value: __owned Value) {
    withUnsafeMutablePointer(to: &bits) { memory in
      memory.withMemoryRebound(to: Value.self, capacity: 1) { $0.initialize(to: value) }
    }
  }

  /// The value, which stays in place.
  @inlinable var value: Value {
    @inline(__always) get {
      unsafeBitCast(bits, to: Value.self)
    }
  }

  /// Stores another value, then releases the old one, whose `deinit` may read the slot.
  ///
  /// `withExtendedLifetime` is a use of the old value after the store. Without one the optimizer
  /// releases the value before the store, and Swift 6.3 loses the release of an array: it moves the
  /// end of a `[Model]?` to the variable of type `UInt` that has its bytes.
  @inlinable @inline(__always)
  mutating func replace(with value: __owned Value) {
    let old = take()
    put(value)
    withExtendedLifetime(old) {}
  }

  /// Releases the value of a slot that was destroyed.
  @inlinable @inline(__always)
  func end() {
    let old = take()
    withExtendedLifetime(old) {}
  }

  /// Moves the value to the caller. Another value must be stored, unless the slot was destroyed.
  @inlinable @inline(__always)
  func take() -> Value {
    var bits = bits
    return withUnsafeMutablePointer(to: &bits) { memory in
      memory.withMemoryRebound(to: Value.self, capacity: 1) { $0.move() }
    }
  }
}
