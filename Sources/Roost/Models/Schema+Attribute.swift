extension Schema {
  /// A value in an entity's rows.
  public class Attribute: SchemaProperty, CustomDebugStringConvertible, @unchecked Sendable {
    /// The name of the property, and of the field in the store.
    public var name: String
    /// The name that the field had in an older store, or ``name`` if it did not change. A migration
    /// renames the field.
    public var originalName: String
    /// The options that `@Attribute` names, such as `.unique`.
    public var options: [Option]
    /// The Swift type of the property, such as `String?.self`.
    public var valueType: any Any.Type
    /// The value of new objects, and of old rows when the property is added; nil for none.
    public var defaultValue: Any?
    /// A text that makes a new version of the property without another change, so that a migration
    /// plan can distinguish the versions.
    public var hashModifier: String?
    /// The rules for values. They belong to the program, like the default value, and are not part
    /// of an encoded schema.
    public var rules: [ValidationRule] = []

    /// Declares options of a property, as `@Attribute` does. The schema fills in the name and the type.
    public init(_ options: Option..., originalName: String? = nil, hashModifier: String? = nil) {
      name = ""
      self.originalName = originalName ?? ""
      self.options = options
      valueType = Any.self
      self.hashModifier = hashModifier
    }

    /// Makes an attribute of an entity that is described without its class.
    ///
    /// - Parameters:
    ///   - name: the name of the field in the store.
    ///   - originalName: the name in an older store; nil if it is the same.
    ///   - options: such as `.unique`.
    ///   - valueType: the Swift type, such as `String?.self`.
    ///   - defaultValue: the value of new objects; nil for none.
    ///   - hashModifier: a text that makes a new version of the property.
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

    /// True: the property is a value of the row.
    public var isAttribute: Bool { true }
    /// False: the property references no models.
    public var isRelationship: Bool { false }
    /// Whether the option `.ephemeral` keeps the property out of the store.
    public var isTransient: Bool { options.contains(.ephemeral) }
    /// Whether the option `.unique` forbids two models with the same value.
    public var isUnique: Bool { options.contains(.unique) }
    var isIndexed: Bool { options.contains(.indexed) }
    /// Whether a ``ValueTransformer`` stores the property.
    public var isTransformable: Bool { options.contains { $0.transformer != nil } }
    /// Whether the option `.codable` stores the property through its coding.
    public var isCodable: Bool { options.contains(.codable) }
    /// Whether the value may be nil. By default the Swift type decides.
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

    // MARK: Coding. The default value belongs to the program, so it is not coded.

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

  /// A struct that is stored as its properties.
  public final class CompositeAttribute: Attribute, @unchecked Sendable {
    /// The properties, each an attribute with its name in the struct.
    public var properties: [Attribute] = []

    /// Makes an attribute of a struct. Set its properties afterwards.
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

/// An attribute with or without properties of its own, for coding.
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
  /// An option of an attribute.
  public struct Option: Codable, Hashable, Sendable, CustomDebugStringConvertible {
    let name: String
    var transformer: String?

    /// No two models have the same value. The context's ``ModelContext/uniquePolicy`` decides about a second one. Any
    /// number of models may have nil.
    public static var unique: Option { Option(name: "unique") }
    /// The store keeps an index on the property, as with `#Index`. SwiftData does not have this
    /// option.
    public static var indexed: Option { Option(name: "indexed") }
    /// SwiftData's option for large values. Accepted without effect: Roost stores a value outside
    /// of its row if it is large.
    public static var externalStorage: Option { Option(name: "externalStorage") }
    /// SwiftData's option for encryption in CloudKit. Accepted without effect.
    public static var allowsCloudEncryption: Option { Option(name: "allowsCloudEncryption") }
    /// The history keeps the last value of a deleted model: ``HistoryTombstone`` has it.
    public static var preserveValueOnDeletion: Option { Option(name: "preserveValueOnDeletion") }
    /// The value is not stored. Observers of the object are notified of its changes.
    public static var ephemeral: Option { Option(name: "ephemeral") }
    /// SwiftData's option for search on Apple's systems. Accepted without effect. Use
    /// ``FullText(_:_:)`` for a search index.
    public static var spotlight: Option { Option(name: "spotlight") }
    /// The value is stored through its `Codable` conformance.
    public static var codable: Option { Option(name: "codable") }
    /// The value is stored as the result of a transformer.
    ///
    /// - Parameter transformerName: the registered name of a ``ValueTransformer``, or the name of
    ///   its class.
    public static func transformable(by transformerName: String) -> Option {
      Option(name: "transformable", transformer: transformerName)
    }

    public var debugDescription: String { transformer.map { "\(name)(\($0))" } ?? name }
  }
}
