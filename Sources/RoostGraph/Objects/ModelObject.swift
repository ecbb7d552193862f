public import Observation

/// The engine's interface to model objects. `@Model` generates all of it, without reflection.
///
/// Properties have numbers: those of the superclass first, then in the order of declaration.
public protocol _ModelObject: AnyObject, Observable, SendableMetatype {
  /// Makes an object without running the user's initializers.
  init(_$state: consuming _ModelState)

  /// The address of the object's state, valid as long as the object lives.
  var _$place: _StatePlace { get }
  static var _$type: _ModelType { get }
  /// Values for accessors that the user wrote; nil for nearly all objects.
  var _$box: _Box? { get set }

  /// Writes the properties whose bits are set into a row: see ``_ModelState/bit(_:)``.
  func _$encode(only wanted: UInt64, into sink: inout _RowSink)
  /// Fills the slots of the properties whose bits are set.
  func _$decode(only wanted: UInt64, from source: inout _RowSource)
  /// Visits all slots.
  func _$visit(_ visitor: inout some _SlotVisitor)
}

public typealias _StatePlace = UnsafeMutablePointer<_ModelState>

extension _ModelState {
  /// The state is a stored property without exclusivity checks, so it has one address.
  @inlinable @inline(__always)
  public static func _place(of state: inout _ModelState) -> _StatePlace { withUnsafeMutablePointer(to: &state) { $0 } }
}

extension _ModelObject {
  /// The object's state, at its address. A protocol requirement would be read by a coroutine, which
  /// allocates memory at each access.
  @inlinable public var _$state: _ModelState {
    @inline(__always) unsafeAddress { UnsafePointer(_$place) }
    @inline(__always) unsafeMutableAddress { _$place }
  }
}

/// Reads and changes slots.
public protocol _SlotVisitor {
  mutating func _visitValue<Value>(_ property: Int, _ slot: inout _Slot<Value>)
  mutating func _visit<Model: _ModelObject>(_ property: Int, _ slot: inout _ToOne<Model>)
  mutating func _visit<Model: _ModelObject>(_ property: Int, _ slot: inout _ToMany<Model>)
}

extension _SlotVisitor {
  public mutating func _visitValue<Value>(_ property: Int, _ slot: inout _Slot<Value>) {}
  public mutating func _visit<Value>(_ property: Int, _ slot: inout _Slot<Value>) { _visitValue(property, &slot) }
  public mutating func _visit<Model>(_ property: Int, _ slot: inout _ToOneAlways<Model>) {
    _visit(property, &slot.slot)
  }
  public mutating func _visit<Model>(_ property: Int, _ slot: inout _ToManyOrNil<Model>) {
    _visit(property, &slot.slot)
  }
}

extension Int {
  /// A property's number after those of a superclass. An operator would take the compiler longer.
  @inlinable @inline(__always)
  public func _$plus(_ number: Int) -> Int { self &+ number }
}
