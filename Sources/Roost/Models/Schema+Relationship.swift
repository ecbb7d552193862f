extension Schema {
  /// A relationship between an entity's rows and another entity's.
  public final class Relationship: SchemaProperty, CustomDebugStringConvertible, @unchecked Sendable {
    /// The name of the property, and of the relationship in the store.
    public var name: String
    /// The name that the relationship had in an older store, or ``name`` if it did not change.
    public var originalName: String
    /// The key path of the property; nil if the entity is described without its class.
    public var keypath: AnyKeyPath?
    /// The options that `@Relationship` names, such as `.mutual`.
    public var options: [Option]
    /// The Swift type of the property, such as `[Song].self` or `Playlist?.self`.
    public var valueType: any Any.Type { didSet { isToMany = nil } }
    /// Whether the relationship is to-many. Nil means that ``valueType`` decides.
    var isToMany: Bool?
    /// The name of the entity that the relationship references.
    public var destination: String
    /// The effect on the referenced models when a model is deleted.
    public var deleteRule: DeleteRule
    /// The name of the property on the other side; nil for a relationship without an inverse.
    public var inverseName: String?
    /// The key path of the property on the other side, as `inverse:` named it.
    public var inverseKeyPath: AnyKeyPath?
    /// The least number of models in the list when its object is saved; 0 or nil for no minimum.
    public var minimumModelCount: Int?
    /// The greatest number of models in the list when its object is saved; 0 or nil for no maximum.
    public var maximumModelCount: Int?
    /// A text that makes a new version of the property without another change, so that a migration
    /// plan can distinguish the versions.
    public var hashModifier: String?
    /// The rules of `@Validate`. A length of a to-many relationship becomes ``minimumModelCount``
    /// and ``maximumModelCount``.
    public internal(set) var rules: [ValidationRule] = []

    /// Declares a relationship, as `@Relationship` does. The schema fills in the name, the type and the destination.
    ///
    /// - Parameters:
    ///   - options: such as `.mutual`.
    ///   - deleteRule: what happens to the referenced models when a model is deleted.
    ///   - minimumModelCount: the least number of models in a list; 0 or nil for no minimum.
    ///   - maximumModelCount: the greatest number of models in a list; 0 or nil for no maximum.
    ///   - originalName: the name in an older store; nil if it is the same.
    ///   - inverse: the property on the other side. One side suffices.
    ///   - hashModifier: a text that makes a new version of the property.
    public convenience init(
      _ options: Option..., deleteRule: DeleteRule = .nullify, minimumModelCount: Int? = 0, maximumModelCount: Int? = 0,
      originalName: String? = nil, inverse: AnyKeyPath? = nil, hashModifier: String? = nil
    ) {
      self.init(
        options, deleteRule: deleteRule, minimum: minimumModelCount, maximum: maximumModelCount,
        originalName: originalName, inverse: inverse, hashModifier: hashModifier)
    }

    /// Declares a relationship with the least and the greatest number of its models. 0 means any
    /// number. SwiftData has only the longer labels `minimumModelCount` and `maximumModelCount`.
    public convenience init(
      _ options: Option..., deleteRule: DeleteRule = .nullify, minimum: Int, maximum: Int? = 0,
      originalName: String? = nil, inverse: AnyKeyPath? = nil, hashModifier: String? = nil
    ) {
      self.init(
        options, deleteRule: deleteRule, minimum: minimum, maximum: maximum, originalName: originalName,
        inverse: inverse, hashModifier: hashModifier)
    }

    /// Declares a relationship with the greatest number of its models.
    public convenience init(
      _ options: Option..., deleteRule: DeleteRule = .nullify, maximum: Int, originalName: String? = nil,
      inverse: AnyKeyPath? = nil, hashModifier: String? = nil
    ) {
      self.init(
        options, deleteRule: deleteRule, minimum: 0, maximum: maximum, originalName: originalName, inverse: inverse,
        hashModifier: hashModifier)
    }

    private init(
      _ options: [Option], deleteRule: DeleteRule, minimum: Int?, maximum: Int?, originalName: String?,
      inverse: AnyKeyPath?, hashModifier: String?
    ) {
      name = ""
      self.originalName = originalName ?? ""
      self.options = options
      valueType = Any.self
      destination = ""
      self.deleteRule = deleteRule
      inverseKeyPath = inverse
      minimumModelCount = minimum
      maximumModelCount = maximum
      self.hashModifier = hashModifier
    }

    /// Whether the relationship is to-one: its type is not a list.
    public var isToOneRelationship: Bool { !(isToMany ?? (valueType is any RelationshipCollection.Type)) }
    /// Whether the option `.unique` is set: two models must not reference the same model.
    public var isUnique: Bool { options.contains(.unique) }
    /// False: the property is not a value.
    public var isAttribute: Bool { false }
    /// True: the property references models.
    public var isRelationship: Bool { true }
    /// False: relationships are stored.
    public var isTransient: Bool { false }

    public var debugDescription: String {
      "Schema.Relationship - name: \(name), options: \(options), valueType: \(valueType), destination: \(destination), "
        + "inverseName: \(inverseName ?? "nil"), deleteRule: \(deleteRule)"
    }

    /// What happens to the referenced models when a model is deleted.
    public enum DeleteRule: String, Codable, Sendable {
      /// The models stay, and their references to the deleted model too.
      case noAction
      /// The models stay, without the reference. A required reference makes the save throw.
      case nullify
      /// The models are deleted too.
      case cascade
      /// The deletion is refused while such models exist.
      case deny
    }

    /// An option of a relationship.
    public struct Option: Codable, Hashable, Sendable, CustomDebugStringConvertible {
      let name: String

      /// Two models must not reference the same one.
      public static var unique: Option { Option(name: "unique") }
      /// The relationship is its own inverse, such as friendship: if Ann is a friend of Ben, Ben is
      /// a friend of Ann. SwiftData does not have this option; the compiler does not let a property
      /// name itself as its inverse.
      public static var mutual: Option { Option(name: "mutual") }
      public var debugDescription: String { name }
    }

    public static func == (one: Relationship, other: Relationship) -> Bool {
      one.name == other.name && one.originalName == other.originalName && one.options == other.options
        && one.destination == other.destination && one.deleteRule == other.deleteRule
        && one.inverseName == other.inverseName && one.minimumModelCount == other.minimumModelCount
        && one.maximumModelCount == other.maximumModelCount && one.hashModifier == other.hashModifier
        && TypeName.name(one.valueType) == TypeName.name(other.valueType)
    }

    public func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      hasher.combine(destination)
      hasher.combine(deleteRule)
    }

    // MARK: Coding. Key paths belong to the program, so they are not coded.

    private enum CodingKeys: String, CodingKey {
      case name, originalName, options, valueType, destination, deleteRule, inverseName, minimum, maximum, hashModifier
      case isToMany
    }

    public init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      name = try values.decode(String.self, forKey: .name)
      originalName = try values.decode(String.self, forKey: .originalName)
      options = try values.decode([Option].self, forKey: .options)
      valueType = TypeName.type(try values.decode(String.self, forKey: .valueType))
      destination = try values.decode(String.self, forKey: .destination)
      deleteRule = try values.decode(DeleteRule.self, forKey: .deleteRule)
      inverseName = try values.decodeIfPresent(String.self, forKey: .inverseName)
      minimumModelCount = try values.decodeIfPresent(Int.self, forKey: .minimum)
      maximumModelCount = try values.decodeIfPresent(Int.self, forKey: .maximum)
      hashModifier = try values.decodeIfPresent(String.self, forKey: .hashModifier)
      isToMany = try values.decodeIfPresent(Bool.self, forKey: .isToMany)
    }

    public func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(name, forKey: .name)
      try values.encode(originalName, forKey: .originalName)
      try values.encode(options, forKey: .options)
      try values.encode(TypeName.name(valueType), forKey: .valueType)
      try values.encode(destination, forKey: .destination)
      try values.encode(deleteRule, forKey: .deleteRule)
      try values.encodeIfPresent(inverseName, forKey: .inverseName)
      try values.encodeIfPresent(minimumModelCount, forKey: .minimum)
      try values.encodeIfPresent(maximumModelCount, forKey: .maximum)
      try values.encodeIfPresent(hashModifier, forKey: .hashModifier)
      try values.encode(!isToOneRelationship, forKey: .isToMany)
    }
  }
}
