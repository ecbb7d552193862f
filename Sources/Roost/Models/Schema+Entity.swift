extension Schema {
  /// A kind of rows: what is stored of one class of models.
  public final class Entity: Hashable, CustomDebugStringConvertible, @unchecked Sendable {
    public var name: String
    public var subentities: Set<Entity> = []
    public var superentityName: String?
    /// The entity that this one inherits from. Weak, because that entity holds its `subentities`; a `Schema` holds them all.
    public weak var superentity: Entity?
    public var storedProperties: [any SchemaProperty]
    public var inheritedProperties: [any SchemaProperty] = []
    public var uniquenessConstraints: [[String]] = []
    public var indices: [[String]] = []
    /// The indexes and unique rules with a condition, with forms of properties or with an order of their own.
    public internal(set) var indexDefinitions: [IndexDefinition] = []
    /// The full text indexes that the class itself declares: see ``FullText(_:_:)``.
    public var fullTexts: [FullTextProperties] = []

    /// The derived properties that the class itself declares.
    public internal(set) var derived: [Derived] = []

    public init(_ name: String) {
      self.name = name
      storedProperties = []
    }

    public convenience init(_ name: String, subentities: Entity..., properties: any SchemaProperty...) {
      self.init(name, properties)
      for subentity in subentities {
        subentity.superentity = self
        subentity.superentityName = name
        self.subentities.insert(subentity)
      }
    }

    public convenience init(_ name: String, properties: any SchemaProperty...) { self.init(name, properties) }

    init(_ name: String, _ properties: [any SchemaProperty]) {
      self.name = name
      storedProperties = properties
    }

    public var properties: [any SchemaProperty] { inheritedProperties + storedProperties }

    public var attributes: Set<Attribute> {
      get { Set(properties.compactMap { $0 as? Attribute }) }
      set { replace(newValue.map { $0 as any SchemaProperty }) { $0 is Attribute } }
    }

    public var relationships: Set<Relationship> {
      get { Set(properties.compactMap { $0 as? Relationship }) }
      set { replace(newValue.map { $0 as any SchemaProperty }) { $0 is Relationship } }
    }

    public var attributesByName: [String: Attribute] {
      get { Dictionary(attributes.map { ($0.name, $0) }) { first, _ in first } }
      set { attributes = Set(newValue.values) }
    }
    public var relationshipsByName: [String: Relationship] {
      get { Dictionary(relationships.map { ($0.name, $0) }) { first, _ in first } }
      set { relationships = Set(newValue.values) }
    }
    public var storedPropertiesByName: [String: any SchemaProperty] {
      get { Dictionary(storedProperties.map { ($0.name, $0) }) { first, _ in first } }
      set { storedProperties = Self.ordered(Array(newValue.values), as: storedProperties) }
    }
    public var inheritedPropertiesByName: [String: any SchemaProperty] {
      get { Dictionary(inheritedProperties.map { ($0.name, $0) }) { first, _ in first } }
      set { inheritedProperties = Self.ordered(Array(newValue.values), as: inheritedProperties) }
    }

    /// Puts other attributes, or relationships, in the place of those that are there. Inherited names stay inherited.
    private func replace(
      _ new: [any SchemaProperty], _ isReplaced: (any SchemaProperty) -> Bool
    ) {
      let names = Set(inheritedProperties.filter(isReplaced).map(\.name))
      func changed(_ old: [any SchemaProperty], isInherited: Bool) -> [any SchemaProperty] {
        Self.ordered(
          old.filter { !isReplaced($0) } + new.filter { names.contains($0.name) == isInherited }, as: old)
      }
      let inherited = changed(inheritedProperties, isInherited: true)
      storedProperties = changed(storedProperties, isInherited: false)
      inheritedProperties = inherited
    }

    /// Properties in the order of those that were there; what is new comes last, by name.
    private static func ordered(
      _ properties: [any SchemaProperty], as old: [any SchemaProperty]
    ) -> [any SchemaProperty] {
      let places = Dictionary(old.enumerated().map { ($1.name, $0) }) { first, _ in first }
      return properties.sorted {
        (places[$0.name] ?? old.count, $0.name) < (places[$1.name] ?? old.count, $1.name)
      }
    }

    public var debugDescription: String {
      "Schema.Entity - name: \(name), superentity: \(superentityName ?? "nil"), properties: \(properties.map(\.name))"
    }

    public static func == (one: Entity, other: Entity) -> Bool {
      one.name == other.name && one.superentityName == other.superentityName && one.attributes == other.attributes
        && one.relationships == other.relationships && one.uniquenessConstraints == other.uniquenessConstraints
        && one.indices == other.indices && one.fullTexts == other.fullTexts
        && one.derived == other.derived && one.indexDefinitions == other.indexDefinitions
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }
}
