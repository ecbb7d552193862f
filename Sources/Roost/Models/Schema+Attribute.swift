extension Schema {
  /// A value that an entity's rows hold.
  public class Attribute: SchemaProperty, CustomDebugStringConvertible, @unchecked Sendable {
    public var name: String
    public var originalName: String
    public var options: [Option]
    public var valueType: any Any.Type
    public var defaultValue: Any?
    public var hashModifier: String?
    /// What each value must be. Like the default value, rules are the program's own: they are no part of an encoded schema.
    public var rules: [ValidationRule] = []

    public init(_ options: Option..., originalName: String? = nil, hashModifier: String? = nil) {
      name = ""
      self.originalName = originalName ?? ""
      self.options = options
      valueType = Any.self
      self.hashModifier = hashModifier
    }

    public init(
      name: String, originalName: String? = nil, options: [Option] = [], valueType: any Any.Type,
      defaultValue: Any? = nil, hashModifier: String? = nil
    ) {
      self.name = name
      self.originalName = originalName ?? name
      self.options = options
      self.valueType = valueType
      self.defaultValue = defaultValue
      self.hashModifier = hashModifier
    }

    public var isAttribute: Bool { true }
    public var isRelationship: Bool { false }
    public var isTransient: Bool { options.contains(.ephemeral) }
    public var isUnique: Bool { options.contains(.unique) }
    var isIndexed: Bool { options.contains(.indexed) }
    public var isTransformable: Bool { options.contains { $0.transformer != nil } }
    public var isCodable: Bool { options.contains(.codable) }
    /// Whether it may be nil: as its type says, unless something else was set.
    public var isOptional: Bool {
      get { ownOptionality ?? (TypeFacts.whole(valueType) != valueType) }
      set { ownOptionality = newValue }
    }
    private var ownOptionality: Bool?

    public var debugDescription: String {
      "Schema.Attribute - name: \(name), options: \(options), valueType: \(valueType)"
    }

    public static func == (one: Attribute, other: Attribute) -> Bool { one.isSame(as: other) }

    func isSame(as other: Attribute) -> Bool {
      name == other.name && originalName == other.originalName && options == other.options
        && hashModifier == other.hashModifier && isOptional == other.isOptional
        && TypeName.name(valueType) == TypeName.name(other.valueType)
    }

    public func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      hasher.combine(originalName)
      hasher.combine(options)
    }

    // MARK: Coding. The default value is the program's own and is not part of it.

    enum CodingKeys: String, CodingKey {
      case name, originalName, options, valueType, hashModifier, isOptional, properties
    }

    public required init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      name = try values.decode(String.self, forKey: .name)
      originalName = try values.decode(String.self, forKey: .originalName)
      options = try values.decode([Option].self, forKey: .options)
      valueType = TypeName.type(try values.decode(String.self, forKey: .valueType))
      hashModifier = try values.decodeIfPresent(String.self, forKey: .hashModifier)
      ownOptionality = try values.decodeIfPresent(Bool.self, forKey: .isOptional)
    }

    public func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(name, forKey: .name)
      try values.encode(originalName, forKey: .originalName)
      try values.encode(options, forKey: .options)
      try values.encode(TypeName.name(valueType), forKey: .valueType)
      try values.encodeIfPresent(hashModifier, forKey: .hashModifier)
      try values.encodeIfPresent(ownOptionality, forKey: .isOptional)
    }
  }

  /// A struct that is stored as its parts.
  public final class CompositeAttribute: Attribute, @unchecked Sendable {
    public var properties: [Attribute] = []

    public override init(
      name: String, originalName: String? = nil, options: [Option] = [], valueType: any Any.Type,
      defaultValue: Any? = nil, hashModifier: String? = nil
    ) {
      super.init(
        name: name, originalName: originalName, options: options, valueType: valueType, defaultValue: defaultValue,
        hashModifier: hashModifier)
    }

    override func isSame(as other: Attribute) -> Bool {
      super.isSame(as: other) && properties == (other as? CompositeAttribute)?.properties
    }

    public required init(from decoder: any Decoder) throws {
      try super.init(from: decoder)
      properties = try decoder.container(keyedBy: CodingKeys.self).decode([AttributeBox].self, forKey: .properties)
        .map(\.attribute)
    }

    public override func encode(to encoder: any Encoder) throws {
      try super.encode(to: encoder)
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(properties.map { AttributeBox($0) }, forKey: .properties)
    }
  }
}

/// An attribute of either kind, which has parts or has none.
struct AttributeBox: Codable {
  let attribute: Schema.Attribute

  init(_ attribute: Schema.Attribute) { self.attribute = attribute }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Schema.Attribute.CodingKeys.self)
    attribute =
      values.contains(.properties)
      ? try Schema.CompositeAttribute(from: decoder) : try Schema.Attribute(from: decoder)
  }

  func encode(to encoder: any Encoder) throws { try attribute.encode(to: encoder) }
}

extension Schema.Attribute {
  /// Something that is to be done with an attribute.
  public struct Option: Codable, Hashable, Sendable, CustomDebugStringConvertible {
    let name: String
    var transformer: String?

    public static var unique: Option { Option(name: "unique") }
    /// The store keeps an index of its own on the property, as `#Index` asks for. An addition to what SwiftData has; guides name it.
    public static var indexed: Option { Option(name: "indexed") }
    public static var externalStorage: Option { Option(name: "externalStorage") }
    public static var allowsCloudEncryption: Option { Option(name: "allowsCloudEncryption") }
    public static var preserveValueOnDeletion: Option { Option(name: "preserveValueOnDeletion") }
    public static var ephemeral: Option { Option(name: "ephemeral") }
    public static var spotlight: Option { Option(name: "spotlight") }
    public static var codable: Option { Option(name: "codable") }
    public static func transformable(by transformerName: String) -> Option {
      Option(name: "transformable", transformer: transformerName)
    }

    public var debugDescription: String { transformer.map { "\(name)(\($0))" } ?? name }
  }
}
