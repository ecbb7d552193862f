internal import Foundation

/// An attribute, a relationship, or a constraint of an entity.
public protocol SchemaProperty: Decodable, Encodable, Hashable {
  /// The name of the property.
  var name: String { get set }
  /// The name that the property had in an older store. It is the same or empty if it did not
  /// change.
  var originalName: String { get set }
  /// The Swift type of the property.
  var valueType: any Any.Type { get set }
  /// Whether it is a value, as a ``Schema/Attribute`` is.
  var isAttribute: Bool { get }
  /// Whether it references models, as a ``Schema/Relationship`` does.
  var isRelationship: Bool { get }
  /// Whether it is kept out of the store.
  var isTransient: Bool { get }
  /// Whether it may be nil.
  var isOptional: Bool { get }
  /// Whether two models with the same value are forbidden.
  var isUnique: Bool { get }
}

extension SchemaProperty {
  /// False, unless the type says otherwise.
  public var isAttribute: Bool { false }
  /// False, unless the type says otherwise.
  public var isRelationship: Bool { false }
  /// False, unless the type says otherwise.
  public var isTransient: Bool { false }
  /// Whether ``valueType`` is an optional type.
  public var isOptional: Bool { TypeFacts.whole(valueType) != valueType }
}

/// Casts of a property after a check of its kind. A failing cast takes thousands of instructions,
/// and one to a protocol hundreds of thousands.
extension SchemaProperty {
  var asAttribute: Schema.Attribute? { isAttribute ? self as? Schema.Attribute : nil }
  var asRelationship: Schema.Relationship? { isRelationship ? self as? Schema.Relationship : nil }
  var asConstraint: (any ConstraintProperty)? {
    isAttribute || isRelationship ? nil : self as? any ConstraintProperty
  }
  var asFullText: (any FullTextProperty)? {
    isAttribute || isRelationship ? nil : self as? any FullTextProperty
  }
}

/// A constraint, as a schema reads it.
protocol ConstraintProperty {
  var names: [[String]] { get }
  /// The indexes that are more than lists of properties.
  var definitions: [Schema.IndexDefinition] { get }
  /// The faults that keep it from being stored, as texts.
  var faults: [String] { get }
  var isUnique: Bool { get }
}

/// A full text index as a schema reads it.
protocol FullTextProperty {
  var fullText: Schema.FullTextProperties { get }
  var keyPaths: [AnyKeyPath] { get }
  /// The faults that keep it from being stored, as texts.
  var faults: [String] { get }
}

/// Converts type names in an encoded schema, and back for common types.
enum TypeName {
  static func name(_ type: Any.Type) -> String { String(reflecting: type) }

  static func type(_ name: String) -> Any.Type { known[name] ?? Any.self }

  private static let known: [String: Any.Type] = {
    var known: [String: Any.Type] = [:]
    func add<Value>(_ type: Value.Type) {
      known[name(type)] = type
      known[name(Value?.self)] = Value?.self
      known[name([Value].self)] = [Value].self
    }
    add(Bool.self)
    add(Int.self)
    add(Int8.self)
    add(Int16.self)
    add(Int32.self)
    add(Int64.self)
    add(UInt.self)
    add(UInt8.self)
    add(UInt16.self)
    add(UInt32.self)
    add(UInt64.self)
    add(Float.self)
    add(Double.self)
    add(String.self)
    add(Decimal.self)
    add(Date.self)
    add(Data.self)
    add(UUID.self)
    add(URL.self)
    return known
  }()
}
