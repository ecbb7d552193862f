public import RoostGraph

/// The description of a store: entities with their attributes and relationships.
public final class Schema: @unchecked Sendable {
  /// The version of the coded form that this library writes.
  public static let schemaEncodingVersion = Version(1, 0, 0)

  /// The version of the coded form from which the schema was read, or in which it would be written.
  public let encodingVersion: Version
  /// The version of the models: that of a ``VersionedSchema``, or 1.0.0.
  public let version: Version
  /// The entities: those of the given classes, and those that their relationships and superclasses reference.
  public let entities: [Entity]
  /// The entities by their names.
  public let entitiesByName: [String: Entity]
  /// The classes of the entities.
  package let models: [any PersistentModel.Type]
  /// The faults of the models. A container throws them.
  package let faults: [SchemaFault]
  /// Whether the schema has all models of a version that the program named.
  package let isVersioned: Bool

  /// Makes a schema without models.
  public convenience init() { self.init(entities: [], version: Version(1, 0, 0)) }

  /// Makes a schema of entities that are described without their classes. A container refuses it,
  /// because a container needs the classes.
  public convenience init(_ entities: Entity..., version: Version = Version(1, 0, 0)) {
    self.init(entities: entities, version: version)
  }

  /// Makes a schema of classes. Adds the classes that their relationships reference, and their
  /// superclasses.
  ///
  /// - Parameters:
  ///   - types: the classes. A container refuses two classes with one name, and relationships that
  ///     contradict each other.
  ///   - version: the version of the models, for a migration plan.
  public convenience init(_ types: [any PersistentModel.Type], version: Version = Version(1, 0, 0)) {
    let reflection = SchemaReflection(types)
    self.init(entities: reflection.entities, version: version, models: reflection.models, faults: reflection.faults)
  }

  /// Makes a schema of classes. Adds the classes that their relationships reference, and their
  /// superclasses.
  public convenience init(_ types: any PersistentModel.Type..., version: Version = Version(1, 0, 0)) {
    self.init(types, version: version)
  }

  /// Makes a schema of the models of one version of the program.
  public convenience init(versionedSchema: any VersionedSchema.Type) {
    let reflection = SchemaReflection(versionedSchema.models)
    self.init(
      entities: reflection.entities, version: versionedSchema.versionIdentifier, models: reflection.models,
      faults: reflection.faults, isVersioned: true)
  }

  init(
    entities: [Entity], version: Version, encodingVersion: Version = schemaEncodingVersion,
    models: [any PersistentModel.Type] = [], faults: [SchemaFault] = [], isVersioned: Bool = false
  ) {
    self.entities = entities
    self.version = version
    self.encodingVersion = encodingVersion
    self.models = models
    self.faults = faults
    self.isVersioned = isVersioned
    entitiesByName = Dictionary(entities.map { ($0.name, $0) }) { first, _ in first }
  }

  /// Returns the entity of a class; nil if the schema does not have the class.
  public func entity<T>(for type: T.Type) -> Entity? where T: PersistentModel {
    entitiesByName[Self.entityName(for: type)]
  }

  /// Returns the name of a class in schemas and stores, such as `Song`.
  public static func entityName<T>(for type: T.Type) -> String where T: PersistentModel { T._$type.name }

  /// Three numbers that identify a version of the models.
  public struct Version: Codable, Comparable, CustomStringConvertible, Hashable, Sendable {
    /// The first number, which changes with models that old programs cannot read.
    public let major: Int
    /// The second number.
    public let minor: Int
    /// The third number.
    public let patch: Int

    /// Makes a version such as 1.2.0. Versions are compared by the first number, then by the second, then by the
    /// third.
    public init(_ major: Int, _ minor: Int, _ patch: Int) {
      self.major = major
      self.minor = minor
      self.patch = patch
    }

    public static func < (one: Version, other: Version) -> Bool {
      (one.major, one.minor, one.patch) < (other.major, other.minor, other.patch)
    }

    public var description: String { "\(major).\(minor).\(patch)" }
  }

  /// The description of a property by `@Model`.
  public struct PropertyMetadata: CustomReflectable {
    let name: String
    let keypath: AnyKeyPath
    let defaultValue: Any?
    let metadata: (any SchemaProperty)?
    /// How the property is stored, if the type alone does not say so.
    let coder: _Coder?

    /// Describes a property. `@Model` calls it for each stored property.
    public init(name: String, keypath: AnyKeyPath, defaultValue: Any? = nil, metadata: (any SchemaProperty)? = nil) {
      self.name = name
      self.keypath = keypath
      self.defaultValue = defaultValue
      self.metadata = metadata
      coder = nil
    }

    /// For generated code.
    public init(
      _ name: String, _ keypath: AnyKeyPath, _ defaultValue: Any?, _ metadata: (any SchemaProperty)?, _ coder: _Coder?
    ) {
      self.name = name
      self.keypath = keypath
      self.defaultValue = defaultValue
      self.metadata = metadata
      self.coder = coder
    }

    public var customMirror: Mirror {
      Mirror(
        self,
        children: [
          "name": name, "keypath": keypath, "defaultValue": defaultValue as Any, "metadata": metadata as Any,
        ])
    }
  }
}

/// The models of one version of a program.
public protocol VersionedSchema: SendableMetatype {
  /// The classes of the version. For a migration plan it must contain all models that their
  /// relationships reference.
  static var models: [any PersistentModel.Type] { get }
  /// The number of the version. A migration plan sorts versions by it.
  static var versionIdentifier: Schema.Version { get }
}

// A name for generated code, because the program may have types of its own with the same name.
public typealias _Schema = Schema
public typealias _PropertyMetadata = Schema.PropertyMetadata

/// A fault in models: no store can be made of them.
package struct SchemaFault: Error, Hashable, CustomStringConvertible {
  package var description: String

  package init(_ description: String) { self.description = description }
}
