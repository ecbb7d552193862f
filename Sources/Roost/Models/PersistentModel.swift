public import Observation
public import RoostGraph

/// A class whose objects are stored. `@Model` makes a class conform to it.
public protocol PersistentModel: _ModelObject, Observable, Hashable, Identifiable, SendableMetatype,
  CustomDebugStringConvertible, CustomReflectable
{
  /// The class itself.
  associatedtype Root: PersistentModel = Self

  /// Makes an object from backing data, for a store of the program's own. The object belongs to no
  /// context.
  init(backingData: any BackingData<Self>)
  /// The values of the object, by key path. Setting a value through them changes the object.
  var persistentBackingData: any BackingData<Self> { get set }
  /// The stored properties, with their defaults and their `@Attribute` and `@Relationship`. `@Model` writes it.
  static var schemaMetadata: [Schema.PropertyMetadata] { get }
}

extension PersistentModel {
  public nonisolated static func == (one: Self, other: Self) -> Bool { one === other }
  public nonisolated func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// Makes the values of a new object, for code that was written for SwiftData's own expansion.
  public nonisolated static func createBackingData<P>() -> some BackingData<P> where P: PersistentModel {
    _BackingData<P>()
  }
}

extension _ModelObject {
  /// The registrar that notifies observers of changes; made at the first use.
  public nonisolated var _$observationRegistrar: ObservationRegistrar { _$state._registrar }

  public nonisolated func access<Member>(keyPath: KeyPath<Self, Member>) {
    _$observationRegistrar.access(self, keyPath: keyPath)
  }

  public nonisolated func withMutation<Member, Result>(
    keyPath: KeyPath<Self, Member>, _ mutation: () throws -> Result
  ) rethrows -> Result {
    try _$observationRegistrar.withMutation(of: self, keyPath: keyPath, mutation)
  }
}

/// Returns the value of a property that is `.ephemeral`.
public func _readEphemeral<Model: _ModelObject, Value>(
  _ value: Value, _ model: Model, _ keyPath: KeyPath<Model, Value>
) -> Value {
  model.access(keyPath: keyPath)
  return value
}

/// Sets a property that is `.ephemeral`.
public func _writeEphemeral<Model: _ModelObject, Value>(
  _ model: Model, _ keyPath: KeyPath<Model, Value>, _ body: () -> Void
) {
  model.withMutation(keyPath: keyPath, body)
}

/// A name that SwiftData's own expansion uses for properties that are stored elsewhere.
public struct _SwiftDataNoType: Sendable {
  public init() {}
}
