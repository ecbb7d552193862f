/// Where an object keeps a relationship to one other, or to none.
///
/// An object that is nobody's holds the other one itself. One that has an origin holds the row's number, so that objects
/// which were not changed never hold each other in a cycle; the origin finds the object.
public struct _ToOne<Model: _ModelObject>: ~Copyable {
  @usableFromInline package var object: Model? {
    @inlinable @inline(__always) get { held.value }
    @inlinable set {
      let old = held.take()
      held.put(newValue)
      _ = consume old
    }
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

  /// The other object; the origin finds it by its row.
  @inlinable @inline(__always)
  public mutating func _get(_ isReady: Bool, _ owner: some _ModelObject, _ property: Int) -> Model? {
    if isReady, row == 0 { return object }
    return _Links.get(owner, property, &self)
  }

  @inlinable
  public mutating func _set(_ new: consuming Model?, _ isFree: Bool, _ owner: some _ModelObject, _ property: Int) {
    _Links.set(owner, property, &self, consume new)
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

/// The slow ways of the accessors of relationships: see ``_Slots``.
@usableFromInline enum _Links {
  @inlinable @inline(never)
  static func get<Model>(_ owner: some _ModelObject, _ property: Int, _ slot: UnsafeMutablePointer<_ToOne<Model>>)
    -> Model?
  {
    if !owner._$state._isReady { owner._$willRead(property) }
    let row = slot.pointee.row
    if row == 0 { return slot.pointee.object }
    return owner._$resolve(property, row: row, as: Model.self)
  }

  /// A relationship that must lead somewhere leads nowhere: its object was deleted, or could not be read.
  @usableFromInline @inline(never)
  static func standIn<Model: _ModelObject>(_ owner: some _ModelObject, _ property: Int) -> Model {
    if let found = owner._$state.origin?.standIn(owner, property) as? Model { return found }
    return lost(Model.self)
  }

  /// An object that stands for none, where no context can be asked: it says that it is deleted.
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
    _ owner: some _ModelObject, _ property: Int, _ slot: UnsafeMutablePointer<_ToOne<Model>>, _ new: consuming Model?
  ) {
    // The origin hears of every change, because the other side changes with it.
    if owner._$state._isFree {
      slot.pointee._store(consume new)
    } else {
      owner._$willWrite(property)
      slot.pointee._store(consume new)
      owner._$didWrite(property)
    }
    if slot.pointee.held.bits != 0 { bring(owner, property, to: slot.pointee.object) }
  }

  /// Inserts an object without a context that was made to reference an object of one: see `GraphContext+Bringing`.
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

  @inlinable @inline(never)
  static func members<Model>(
    _ owner: some _ModelObject, _ property: Int, _ slot: UnsafeMutablePointer<_ToMany<Model>>
  ) -> [Model] {
    owner._$willRead(property)
    if let members = slot.pointee.members { return members }
    return absent(owner, property)
  }

  @inlinable @inline(never)
  static func setMembers<Model>(
    _ owner: some _ModelObject, _ property: Int, _ slot: UnsafeMutablePointer<_ToMany<Model>>, _ new: [Model],
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
    _ owner: some _ModelObject, _ property: Int, _ slot: UnsafeMutablePointer<_ToMany<Model>>
  ) -> [Model] {
    if !owner._$state._isFree { owner._$willModify(property) }
    let members = slot.pointee.takeMembers() ?? absent(owner, property)
    owner._$state._lend()
    return members
  }

  @inlinable @inline(never)
  static func giveBack<Model>(
    _ owner: some _ModelObject, _ property: Int, _ slot: UnsafeMutablePointer<_ToMany<Model>>, _ new: [Model],
    isNil: Bool
  ) {
    slot.pointee.members = new
    slot.pointee.isNil = isNil && mayBeNil(owner)
    owner._$state._giveBack()
    if !owner._$state._isFree { owner._$didWrite(property) }
    // The one that was appended. To look at all members after each would take the square of their number.
    bring(owner, property, to: new.last)
  }

  /// Whether an optional list of the object may be nil. In a context it is empty instead: its members are the rows that name the
  /// object, and there is no place in the store for a nil beside them.
  @inlinable @inline(__always)
  static func mayBeNil(_ owner: some _ModelObject) -> Bool { owner._$state.flags.isDisjoint(with: .managed) }

  /// Members that were never set are none; those that are moved out the origin knows.
  @usableFromInline @inline(never)
  static func absent<Model: _ModelObject>(_ owner: some _ModelObject, _ property: Int) -> [Model] {
    if owner._$state.flags.isDisjoint(with: .lent) { return [] }
    return owner._$lentMembers(property, as: Model.self)
  }
}
