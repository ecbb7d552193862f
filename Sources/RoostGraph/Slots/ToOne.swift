/// Where an object keeps a relationship to one other, or to none.
///
/// An object that is nobody's holds the other one itself. One that has an origin holds the row's number, so that objects
/// which were not changed never hold each other in a cycle; the origin finds the object.
public struct _ToOne<Model: _ModelObject>: ~Copyable {
  @usableFromInline package var object: Model?
  /// 0 for nothing, or where the object itself stands here.
  @usableFromInline package var row: UInt64

  /// Stands for a row that the other side knows of and this one does not.
  @inlinable package static var unknown: UInt64 { .max }

  @inlinable public init() {
    object = nil
    row = 0
  }

  @inlinable public init(_ object: consuming Model?) {
    self.object = consume object
    row = 0
  }

  @inlinable public init(like expression: @autoclosure () -> Model?) { self.init() }

  deinit {
    if let object { _Release.later(object) }
  }

  @inlinable public var _isAtHand: Bool {
    @inline(__always) get { row == 0 }
  }

  @inlinable public var _value: Model? {
    @inline(__always) get { object }
  }

  @inlinable
  public mutating func _store(_ value: consuming Model?) {
    object = consume value
    row = 0
  }

  @inlinable @inline(__always)
  public func _mayStore(_ state: borrowing _ModelState, _ property: Int) -> Bool { state._isFree }

  @inlinable
  public func _read(_ owner: some _ModelObject, _ property: Int) -> Model? {
    if row == 0 { return object }
    return owner._$resolve(property, row: row, as: Model.self)
  }

  @inlinable public var _isFilled: Bool { true }
  @inlinable public mutating func _forget() { _store(nil) }
}

/// A relationship that always leads to an object.
public struct _ToOneAlways<Model: _ModelObject>: ~Copyable {
  @usableFromInline package var slot: _ToOne<Model>

  @inlinable public init() { slot = _ToOne() }
  @inlinable public init(_ object: consuming Model) { slot = _ToOne(consume object) }
  @inlinable public init(like expression: @autoclosure () -> Model) { self.init() }

  @inlinable public var _isAtHand: Bool {
    @inline(__always) get { slot.object != nil }
  }

  @inlinable public var _value: Model {
    @inline(__always) get { slot.object.unsafelyUnwrapped }
  }

  @inlinable public mutating func _store(_ value: consuming Model) { slot._store(consume value) }

  @inlinable @inline(__always)
  public func _mayStore(_ state: borrowing _ModelState, _ property: Int) -> Bool { state._isFree }

  @inlinable
  public func _read(_ owner: some _ModelObject, _ property: Int) -> Model {
    guard let found = slot._read(owner, property) else {
      owner._$stop(property, "leads to no object; a relationship that may lose its object should be optional")
    }
    return found
  }

  @inlinable public var _isFilled: Bool { slot.object != nil || slot.row != 0 }
  @inlinable public mutating func _forget() { slot._store(nil) }
}
