/// Where an object keeps the members of a relationship to many.
public struct _ToMany<Model: _ModelObject>: ~Copyable {
  /// Nil while they are not loaded, or moved out.
  @usableFromInline package var members: [Model]? {
    @inlinable @inline(__always) get { held.value }
    @inlinable set { held.replace(with: newValue) }
  }
  @usableFromInline var held: _Held<[Model]?>
  /// Whether the property itself is nil: only an optional list of an object that is in no context.
  @usableFromInline package var isNil = false

  @inlinable public init() { held = _Held(nil) }
  @inlinable public init(_ members: consuming [Model]) { held = _Held(consume members) }

  deinit {
    if held.bits == 0 { return }
    // Every list is released as one of `AnyObject`, which is the same in memory. This code is compiled once for all models, and would
    // otherwise look up the type of the array at each step.
    let list = _Held<[AnyObject]?>(bits: held.bits)
    if list.value?.isEmpty ?? true { list.end() } else { _Release.later(list) }
  }

  /// The members, moved out.
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

/// An optional relationship to many. It may be nil until its object is inserted. In a context it never is: setting it to nil
/// empties it, and a list that was nil at the insertion is empty from then on.
public struct _ToManyOrNil<Model: _ModelObject>: ~Copyable {
  @usableFromInline package var slot: _ToMany<Model>

  @inlinable public init() { slot = _ToMany() }
  @inlinable public init(_ members: [Model]?) {
    slot = _ToMany(members ?? [])
    slot.isNil = members == nil
  }
}
