public import Observation

/// What every model's object is to the engine. `@Model` writes all of it, without reflection.
///
/// Properties go by number: those of the superclass first, then in the order in which they are written.
public protocol _ModelObject: AnyObject, Observable, SendableMetatype {
  /// Makes an object without running the user's initializers.
  init(_$state: consuming _ModelState)

  /// It stands in the object.
  var _$state: _ModelState { get set }
  static var _$type: _ModelType { get }
  /// Values that accessors written by hand keep; nil for nearly all objects.
  var _$box: _Box? { get set }

  /// Writes all properties into a row.
  func _$encode(into sink: inout _RowSink)
  /// Writes one.
  func _$encode(_ property: Int, into sink: inout _RowSink)
  /// Fills all slots.
  func _$decode(from source: inout _RowSource)
  /// Fills one.
  func _$decode(_ property: Int, from source: inout _RowSource)
  /// Empties the slots: the object is a fault again.
  func _$forget()
  /// Shows the slots of all relationships.
  func _$visitLinks(_ visitor: inout some _LinkVisitor)
  /// Shows one of them.
  func _$visitLink(_ property: Int, _ visitor: inout some _LinkVisitor)
  /// Whether a property's slot holds a value.
  func _$isFilled(_ property: Int) -> Bool
}

/// Somebody who looks at relationships' slots and may change them.
public protocol _LinkVisitor {
  mutating func visit<Model: _ModelObject>(_ property: Int, _ slot: inout _ToOne<Model>)
  mutating func visit<Model: _ModelObject>(_ property: Int, _ slot: inout _ToMany<Model>)
}
