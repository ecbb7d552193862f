/// The getter and the setter of a to-many relationship.
extension _ToMany {
  @inlinable @inline(__always)
  public mutating func _get(_ isReady: Bool, _ owner: some _ModelObject, _ property: Int) -> [Model] {
    if isReady, let members { return members }
    return _Links.members(owner, property, slot: &self)
  }

  @inlinable
  public mutating func _set(_ new: [Model], _ isFree: Bool, _ owner: some _ModelObject, _ property: Int) {
    _Links.setMembers(owner, property, slot: &self, new: new, isNil: false)
  }

  @inlinable
  public mutating func _lend(_ isFree: Bool, _ owner: some _ModelObject, _ property: Int) -> [Model] {
    _Links.lend(owner, property, slot: &self)
  }

  @inlinable
  public mutating func _giveBack(_ new: [Model], _ isFree: Bool, _ owner: some _ModelObject, _ property: Int) {
    _Links.giveBack(owner, property, slot: &self, new: new, isNil: false)
  }
}

extension _ToManyOrNil {
  @inlinable
  public mutating func _get(_ isReady: Bool, _ owner: some _ModelObject, _ property: Int) -> [Model]? {
    let members = slot._get(isReady, owner, property)
    return slot.isNil ? nil : members
  }

  @inlinable
  public mutating func _set(_ new: [Model]?, _ isFree: Bool, _ owner: some _ModelObject, _ property: Int) {
    _Links.setMembers(owner, property, slot: &slot, new: new ?? [], isNil: new == nil)
  }

  @inlinable
  public mutating func _lend(_ isFree: Bool, _ owner: some _ModelObject, _ property: Int) -> [Model]? {
    let members = _Links.lend(owner, property, slot: &slot)
    return slot.isNil ? nil : members
  }

  @inlinable
  public mutating func _giveBack(_ new: [Model]?, _ isFree: Bool, _ owner: some _ModelObject, _ property: Int) {
    _Links.giveBack(owner, property, slot: &slot, new: new ?? [], isNil: new == nil)
  }
}

extension _Links {
  @inlinable @inline(never)
  static func members<Model>(
    _ owner: some _ModelObject, _ property: Int, slot: UnsafeMutablePointer<_ToMany<Model>>
  ) -> [Model] {
    owner._$willRead(property)
    if let members = slot.pointee.members { return members }
    return absent(owner, property)
  }

  @inlinable @inline(never)
  static func setMembers<Model>(
    _ owner: some _ModelObject, _ property: Int, slot: UnsafeMutablePointer<_ToMany<Model>>, new: [Model],
    isNil: Bool
  ) {
    let isFree = owner._$state._isFree
    if !isFree { owner._$willWrite(property) }
    slot.pointee.members = new
    slot.pointee.isNil = isNil && mayBeNil(owner)
    if !isFree { owner._$didWrite(property) }
    bring(owner, property, toOneOf: new)
  }

  @inlinable @inline(never)
  static func lend<Model>(
    _ owner: some _ModelObject, _ property: Int, slot: UnsafeMutablePointer<_ToMany<Model>>
  ) -> [Model] {
    if !owner._$state._isFree { owner._$willModify(property) }
    let members = slot.pointee.takeMembers() ?? absent(owner, property)
    owner._$state._lend()
    return members
  }

  @inlinable @inline(never)
  static func giveBack<Model>(
    _ owner: some _ModelObject, _ property: Int, slot: UnsafeMutablePointer<_ToMany<Model>>, new: [Model],
    isNil: Bool
  ) {
    slot.pointee.members = new
    slot.pointee.isNil = isNil && mayBeNil(owner)
    owner._$state._giveBack()
    if !owner._$state._isFree { owner._$didWrite(property) }
    // Only the last member: checking all members after each append would take quadratic time.
    bring(owner, property, to: new.last)
  }

  /// Whether an optional list of the object may be nil. In a context it is empty instead: its
  /// members are the rows that reference the object, so the store has no place for nil.
  @inlinable @inline(__always)
  static func mayBeNil(_ owner: some _ModelObject) -> Bool { owner._$state.flags.isDisjoint(with: .managed) }

  /// A list that was never set is empty. While a list is moved out, the origin knows its members.
  @usableFromInline @inline(never)
  static func absent<Model: _ModelObject>(_ owner: some _ModelObject, _ property: Int) -> [Model] {
    if owner._$state.flags.isDisjoint(with: .lent) { return [] }
    return owner._$lentMembers(property, as: Model.self)
  }
}
