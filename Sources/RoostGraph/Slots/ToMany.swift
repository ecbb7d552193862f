/// Where an object keeps the members of a relationship to many.
public struct _ToMany<Model: _ModelObject>: ~Copyable {
  /// Nil while they are not loaded, or moved out.
  @usableFromInline package var members: [Model]?
  /// Whether the property itself was set to nil, where it may be.
  @usableFromInline package var isNil = false

  @inlinable public init() { members = nil }
  @inlinable public init(_ members: consuming [Model]) { self.members = consume members }
  @inlinable public init(like expression: @autoclosure () -> [Model]) { members = nil }

  deinit {
    if let members, !members.isEmpty { _Release.later(members) }
  }

  @inlinable public var _isAtHand: Bool {
    @inline(__always) get { members != nil }
  }

  @inlinable public var _value: [Model] {
    @inline(__always) get { members.unsafelyUnwrapped }
  }

  @inlinable public mutating func _store(_ value: consuming [Model]) {
    members = consume value
    isNil = false
  }

  @inlinable @inline(__always)
  public func _mayStore(_ state: borrowing _ModelState, _ property: Int) -> Bool { state._isFree }

  /// The members, after the object was asked for them. One that was never set has none.
  @inlinable
  public func _read(_ owner: some _ModelObject, _ property: Int) -> [Model] {
    if let members { return members }
    return _Members.absent(owner, property)
  }

  @inlinable
  public mutating func _take(_ owner: some _ModelObject, _ property: Int) -> [Model] {
    guard let members else { return _Members.absent(owner, property) }
    self.members = nil
    return members
  }

  @inlinable public var _isFilled: Bool { members != nil }

  @inlinable public mutating func _forget() {
    members = nil
    isNil = false
  }
}

@usableFromInline enum _Members {
  @usableFromInline @inline(never)
  static func absent<Model: _ModelObject>(_ owner: some _ModelObject, _ property: Int) -> [Model] {
    if owner._$state.flags.isDisjoint(with: .lent) { return [] }
    return owner._$lentMembers(property, as: Model.self)
  }
}

/// The same where the property may be nil. What comes from a store never is.
public struct _ToManyOrNil<Model: _ModelObject>: ~Copyable {
  @usableFromInline package var slot: _ToMany<Model>

  @inlinable public init() { slot = _ToMany() }
  @inlinable public init(_ members: consuming [Model]?) {
    slot = _ToMany()
    _store(consume members)
  }
  @inlinable public init(like expression: @autoclosure () -> [Model]?) { self.init() }

  @inlinable public var _isAtHand: Bool {
    @inline(__always) get { slot.members != nil }
  }

  @inlinable public var _value: [Model]? {
    @inline(__always) get { slot.isNil ? nil : slot.members }
  }

  @inlinable public mutating func _store(_ value: consuming [Model]?) {
    let isNil = value == nil
    slot._store(value ?? [])
    slot.isNil = isNil
  }

  @inlinable @inline(__always)
  public func _mayStore(_ state: borrowing _ModelState, _ property: Int) -> Bool { state._isFree }

  @inlinable
  public func _read(_ owner: some _ModelObject, _ property: Int) -> [Model]? {
    slot.isNil ? nil : slot._read(owner, property)
  }

  @inlinable
  public mutating func _take(_ owner: some _ModelObject, _ property: Int) -> [Model]? {
    let members = slot._take(owner, property)
    return slot.isNil ? nil : members
  }

  @inlinable public var _isFilled: Bool { slot._isFilled }
  @inlinable public mutating func _forget() { slot._forget() }
}
