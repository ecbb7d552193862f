/// The getter and the setter of a to-one relationship.
extension _ToOne {
  /// The other object. The origin finds it by its row number.
  @inlinable @inline(__always)
  public mutating func _get(_ isReady: Bool, _ owner: some _ModelObject, _ property: Int) -> Model? {
    if isReady, row == 0 { return object }
    return _Links.get(owner, property, slot: &self)
  }

  @inlinable
  public mutating func _set(_ new: consuming Model?, _ isFree: Bool, _ owner: some _ModelObject, _ property: Int) {
    _Links.set(owner, property, slot: &self, new: consume new)
  }
}

extension _ToOneAlways {
  @inlinable
  public mutating func _get(_ isReady: Bool, _ owner: some _ModelObject, _ property: Int) -> Model {
    if let found = slot._get(isReady, owner, property) { return found }
    return _Links.standIn(owner, property)
  }

  @inlinable
  public mutating func _set(_ new: consuming Model, _ isFree: Bool, _ owner: some _ModelObject, _ property: Int) {
    slot._set(consume new, isFree, owner, property)
  }
}

/// The slow paths of the accessors of relationships: see ``_Slots``.
@usableFromInline enum _Links {
  @inlinable @inline(never)
  static func get<Model>(_ owner: some _ModelObject, _ property: Int, slot: UnsafeMutablePointer<_ToOne<Model>>)
    -> Model?
  {
    if !owner._$state._isReady { owner._$willRead(property) }
    let row = slot.pointee.row
    if row == 0 { return slot.pointee.object }
    return owner._$resolve(property, row: row, as: Model.self)
  }

  /// The value of a required reference without a target: its object was deleted or could not be
  /// read.
  @usableFromInline @inline(never)
  static func standIn<Model: _ModelObject>(_ owner: some _ModelObject, _ property: Int) -> Model {
    if let found = owner._$state.origin?.standIn(owner, property) as? Model { return found }
    return lost(Model.self)
  }

  /// A deleted object that a getter returns instead of the target, if the object has no context.
  private static func lost<Model: _ModelObject>(_ model: Model.Type) -> Model {
    let made = Model(_$state: _ModelState())
    made.markGone()
    for (number, property) in Model._$type.properties.enumerated() {
      if case .value = property.storage { made._$fill(number, orEmpty: true) }
    }
    return made
  }

  @inlinable @inline(never)
  static func set<Model>(
    _ owner: some _ModelObject, _ property: Int, slot: UnsafeMutablePointer<_ToOne<Model>>, new: consuming Model?
  ) {
    // The origin is told of every change, because the inverse relationship changes with it.
    if owner._$state._isFree {
      slot.pointee._store(consume new)
    } else {
      owner._$willWrite(property)
      slot.pointee._store(consume new)
      owner._$didWrite(property)
    }
    if slot.pointee.held.bits != 0 { bring(owner, property, to: slot.pointee.object) }
  }

  /// Inserts an object without a context that was made to reference an object in one: see
  /// `LinkGraph`.
  @usableFromInline
  static func bring(_ owner: some _ModelObject, _ property: Int, to other: (some _ModelObject)?) {
    guard owner._$state.origin == nil, let other, let origin = other._$state.origin else { return }
    origin.bring(owner, property, to: other)
  }

  @usableFromInline
  static func bring<Model: _ModelObject>(_ owner: some _ModelObject, _ property: Int, toOneOf members: [Model]) {
    if owner._$state.origin != nil { return }
    bring(owner, property, to: members.first { $0._$state.origin != nil })
  }
}
