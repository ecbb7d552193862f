/// The slot of a to-one relationship.
///
/// Without an origin, the slot holds the other object itself. With an origin, it holds the number
/// of the row, so that unchanged objects never form a reference cycle; the origin finds the object.
public struct _ToOne<Model: _ModelObject>: ~Copyable {
  @usableFromInline package var object: Model? {
    @inlinable @inline(__always) get { held.value }
    @inlinable set { held.replace(with: newValue) }
  }
  @usableFromInline var held: _Held<Model?>
  /// 0 for nil, or if the slot holds the object itself.
  @usableFromInline package var row: UInt64

  /// The value of `row` for nil in an object of a context. A getter must still call the origin,
  /// because the inverse may have changed.
  @inlinable package static var nothing: UInt64 { .max - 1 }

  /// The value of `row` if only the inverse stores the row number.
  @inlinable package static var unknown: UInt64 { .max }

  @inlinable public init() {
    held = _Held(nil)
    row = 0
  }

  @inlinable public init(_ object: consuming Model?) {
    held = _Held(consume object)
    row = 0
  }

  deinit {
    if held.bits != 0 { _Release.later(held) }
  }

  @usableFromInline
  package mutating func _store(_ value: consuming Model?) {
    object = consume value
    row = 0
  }

  package mutating func _forget() { _store(nil) }

  /// Moves the object out and leaves nil.
  mutating func takeObject() -> Model? {
    let object = held.take()
    held.put(nil)
    row = 0
    return object
  }
}

/// The slot of a required to-one relationship.
public struct _ToOneAlways<Model: _ModelObject>: ~Copyable {
  @usableFromInline package var slot: _ToOne<Model>

  @inlinable public init() { slot = _ToOne() }
  @inlinable public init(_ object: consuming Model) { slot = _ToOne(consume object) }
}
