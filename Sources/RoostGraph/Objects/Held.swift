/// A reference, or an array, that is not let go by itself.
///
/// What holds it decides when and how it is let go: a slot hands it to ``_Release``. A stored property would be let go behind the slot's own
/// `deinit`, in nested calls along a chain of objects.
@usableFromInline struct _Held<Value>: ~Copyable {
  /// The value's bytes: one word, whatever it is. Nil is 0.
  @usableFromInline var bits: UInt = 0

  @inlinable init(_ value: __owned Value) {
    precondition(MemoryLayout<Value>.size == MemoryLayout<UInt>.size)
    put(value)
  }

  @inlinable @inline(__always)
  mutating func put(_ value: __owned Value) {
    withUnsafeMutablePointer(to: &bits) { memory in
      _ = UnsafeMutableRawPointer(memory).initializeMemory(as: Value.self, to: value)
    }
  }

  /// The value; it stays.
  @inlinable var value: Value {
    @inline(__always) get {
      withUnsafePointer(to: bits) { UnsafeRawPointer($0).assumingMemoryBound(to: Value.self).pointee }
    }
  }

  /// The value, which is the caller's from here on. Another one must be put in, unless the slot has ended.
  @inlinable @inline(__always)
  func take() -> Value {
    var bits = bits
    return withUnsafeMutablePointer(to: &bits) { memory in
      UnsafeMutableRawPointer(memory).assumingMemoryBound(to: Value.self).move()
    }
  }
}
