/// Where an object keeps a relationship to one other, or to none.
///
/// An object that is nobody's holds the other one itself. One that has an origin holds the row's number, so that objects
/// which were not changed never hold each other in a cycle; the origin finds the object.
public struct _ToOne<Model: _ModelObject>: ~Copyable {
  @usableFromInline package var object: Model? {
    @inlinable @inline(__always) get { held.value }
    @inlinable set { held.replace(with: newValue) }
  }
  @usableFromInline var held: _Held<Model?>
  /// 0 for nothing, or where the object itself stands here.
  @usableFromInline package var row: UInt64

  /// Stands for no object, in one that a context has: it must ask, because the other side may have been changed.
  @inlinable package static var nothing: UInt64 { .max - 1 }

  /// Stands for a row that the other side knows of and this one does not.
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

  /// The object, moved out; the slot leads nowhere then.
  mutating func takeObject() -> Model? {
    let object = held.take()
    held.put(nil)
    row = 0
    return object
  }
}

/// A relationship that always leads to an object.
public struct _ToOneAlways<Model: _ModelObject>: ~Copyable {
  @usableFromInline package var slot: _ToOne<Model>

  @inlinable public init() { slot = _ToOne() }
  @inlinable public init(_ object: consuming Model) { slot = _ToOne(consume object) }
}
