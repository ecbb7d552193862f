public import RoostGraph

/// What a store holds: entities with their attributes and relationships.
public final class Schema: @unchecked Sendable {
  public static let schemaEncodingVersion = Version(1, 0, 0)

  public let encodingVersion: Version
  public let version: Version
  public let entities: [Entity]
  public let entitiesByName: [String: Entity]
  /// The classes that the entities were made of.
  package let models: [any PersistentModel.Type]
  /// What is wrong with the models; a container throws it.
  package let faults: [SchemaFault]
  /// Whether it has all models of a version that the program named.
  package let isVersioned: Bool

  public convenience init() { self.init(entities: [], version: Version(1, 0, 0)) }

  public convenience init(_ entities: Entity..., version: Version = Version(1, 0, 0)) {
    self.init(entities: entities, version: version)
  }

  public convenience init(_ types: [any PersistentModel.Type], version: Version = Version(1, 0, 0)) {
    let reflection = SchemaReflection(types)
    self.init(entities: reflection.entities, version: version, models: reflection.models, faults: reflection.faults)
  }

  public convenience init(_ types: any PersistentModel.Type..., version: Version = Version(1, 0, 0)) {
    self.init(types, version: version)
  }

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

  public func entity<T>(for type: T.Type) -> Entity? where T: PersistentModel {
    entitiesByName[Self.entityName(for: type)]
  }

  public static func entityName<T>(for type: T.Type) -> String where T: PersistentModel { T._$type.name }

  /// Three numbers that tell one version of the models from the next.
  public struct Version: Codable, Comparable, CustomStringConvertible, Hashable, Sendable {
    public let major: Int
    public let minor: Int
    public let patch: Int

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

  /// What `@Model` tells of a property.
  public struct PropertyMetadata: CustomReflectable {
    let name: String
    let keypath: AnyKeyPath
    let defaultValue: Any?
    let metadata: (any SchemaProperty)?
    /// How it is stored, where the type alone does not say so.
    let coder: _Coder?

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
  static var models: [any PersistentModel.Type] { get }
  static var versionIdentifier: Schema.Version { get }
}

// Names for generated code, which stands where a user may have types of these names.
public typealias _Schema = Schema
public typealias _PropertyMetadata = Schema.PropertyMetadata

/// What is wrong with models, so that no store can be made of them.
package struct SchemaFault: Error, Hashable, CustomStringConvertible {
  package var description: String

  package init(_ description: String) { self.description = description }
}
