extension Schema {
  /// How an entity's rows lead to another's.
  public final class Relationship: SchemaProperty, CustomDebugStringConvertible, @unchecked Sendable {
    public var name: String
    public var originalName: String
    public var keypath: AnyKeyPath?
    public var options: [Option]
    public var valueType: any Any.Type { didSet { isToMany = nil } }
    /// Nil: ``valueType`` tells it.
    var isToMany: Bool?
    public var destination: String
    public var deleteRule: DeleteRule
    public var inverseName: String?
    public var inverseKeyPath: AnyKeyPath?
    public var minimumModelCount: Int?
    public var maximumModelCount: Int?
    public var hashModifier: String?
    /// Rules of `@Validate`. A length of a relationship to many becomes ``minimumModelCount`` and ``maximumModelCount``.
    public internal(set) var rules: [ValidationRule] = []

    public convenience init(
      _ options: Option..., deleteRule: DeleteRule = .nullify, minimumModelCount: Int? = 0, maximumModelCount: Int? = 0,
      originalName: String? = nil, inverse: AnyKeyPath? = nil, hashModifier: String? = nil
    ) {
      self.init(
        options, deleteRule: deleteRule, minimum: minimumModelCount, maximum: maximumModelCount,
        originalName: originalName, inverse: inverse, hashModifier: hashModifier)
    }

    /// The same in fewer words: how many models it must lead to, and how many it may; 0 for any number. An addition to what SwiftData has;
    /// guides name it.
    public convenience init(
      _ options: Option..., deleteRule: DeleteRule = .nullify, minimum: Int, maximum: Int? = 0,
      originalName: String? = nil, inverse: AnyKeyPath? = nil, hashModifier: String? = nil
    ) {
      self.init(
        options, deleteRule: deleteRule, minimum: minimum, maximum: maximum, originalName: originalName,
        inverse: inverse, hashModifier: hashModifier)
    }

    /// How many models it may lead to, without a least number.
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

    public var isToOneRelationship: Bool { !(isToMany ?? (valueType is any RelationshipCollection.Type)) }
    public var isUnique: Bool { options.contains(.unique) }
    public var isAttribute: Bool { false }
    public var isRelationship: Bool { true }
    public var isTransient: Bool { false }

    public var debugDescription: String {
      "Schema.Relationship - name: \(name), options: \(options), valueType: \(valueType), destination: \(destination), "
        + "inverseName: \(inverseName ?? "nil"), deleteRule: \(deleteRule)"
    }

    /// What becomes of the models it leads to when a model is deleted.
    public enum DeleteRule: String, Codable, Sendable { case noAction, nullify, cascade, deny }

    /// Something that is to be done with a relationship.
    public struct Option: Codable, Hashable, Sendable, CustomDebugStringConvertible {
      let name: String

      public static var unique: Option { Option(name: "unique") }
      /// The relationship is its own inverse, as that between friends: who has one as a friend is one's friend. An addition to what
      /// SwiftData has, because the compiler lets no property name itself as its inverse.
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

    // MARK: Coding. Key paths are the program's own and are not part of it.

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
