/// The slot of a to-many relationship.
public struct _ToMany<Model: _ModelObject>: ~Copyable {
  /// Nil while the members are not loaded, or are moved out.
  @usableFromInline package var members: [Model]? {
    @inlinable @inline(__always) get { held.value }
    @inlinable set { held.replace(with: newValue) }
  }
  @usableFromInline var held: _Held<[Model]?>
  /// Whether the property itself is nil: only in an optional list of an object without a context.
  @usableFromInline package var isNil = false

  @inlinable public init() { held = _Held(nil) }
  @inlinable public init(_ members: consuming [Model]) { held = _Held(consume members) }

  deinit {
    if held.bits == 0 { return }
    // Every list is released as an array of `AnyObject`, which has the same layout. This code is
    // compiled once for all models, and would otherwise look up the type of the array at each step.
    let list = _Held<[AnyObject]?>(bits: held.bits)
    if list.value?.isEmpty ?? true { list.end() } else { _Release.later(list) }
  }

  /// Moves the members out.
  @inlinable mutating func takeMembers() -> [Model]? {
    let members = held.take()
    held.put(nil)
    return members
  }

  package var _isFilled: Bool { members != nil }

  @usableFromInline package mutating func _forget() {
    members = nil
    isNil = false
  }
}

/// The slot of an optional to-many relationship. It may be nil until its object is inserted. In a
/// context it is never nil: setting it to nil empties it, and a list that was nil at the insertion
/// is empty from then on.
public struct _ToManyOrNil<Model: _ModelObject>: ~Copyable {
  @usableFromInline package var slot: _ToMany<Model>

  @inlinable public init() { slot = _ToMany() }
  @inlinable public init(_ members: [Model]?) {
    slot = _ToMany(members ?? [])
    slot.isNil = members == nil
  }
}
