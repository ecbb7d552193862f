extension Schema {
  /// The description of one class of models: its properties, indexes and rules.
  public final class Entity: Hashable, CustomDebugStringConvertible, @unchecked Sendable {
    /// The name of the class, without its module. It is the name in the store and in errors.
    public var name: String
    /// The entities of the classes that inherit from this one.
    public var subentities: Set<Entity> = []
    /// The name of the entity that this one inherits from; nil if there is none.
    public var superentityName: String?
    /// The entity that this one inherits from. Weak, because that entity owns its `subentities`; a
    /// `Schema` owns them all.
    public weak var superentity: Entity?
    /// The properties that the class itself declares, in their order.
    public var storedProperties: [any SchemaProperty]
    /// The properties of the superclasses.
    public var inheritedProperties: [any SchemaProperty] = []
    /// The rules of `#Unique`, each a list of property names. `@Attribute(.unique)` is in the
    /// attribute's options instead.
    public var uniquenessConstraints: [[String]] = []
    /// The indexes of `#Index`, each a list of property names.
    public var indices: [[String]] = []
    /// The indexes and unique rules with a condition, with forms of properties or with a sort order
    /// for each property.
    public internal(set) var indexDefinitions: [IndexDefinition] = []
    /// The full text indexes that the class itself declares: see ``FullText(_:_:)``.
    public var fullTexts: [FullTextProperties] = []

    /// The derived properties that the class itself declares.
    public internal(set) var derived: [Derived] = []

    /// Makes an entity without properties.
    public init(_ name: String) {
      self.name = name
      storedProperties = []
    }

    /// Makes an entity with subclasses. This entity becomes their superentity. They do not get its
    /// properties.
    public convenience init(_ name: String, subentities: Entity..., properties: any SchemaProperty...) {
      self.init(name, properties)
      for subentity in subentities {
        subentity.superentity = self
        subentity.superentityName = name
        self.subentities.insert(subentity)
      }
    }

    /// Makes an entity with properties.
    public convenience init(_ name: String, properties: any SchemaProperty...) { self.init(name, properties) }

    init(_ name: String, _ properties: [any SchemaProperty]) {
      self.name = name
      storedProperties = properties
    }

    /// All properties: those of the superclasses first, then the class's own.
    public var properties: [any SchemaProperty] { inheritedProperties + storedProperties }

    /// The properties that are values. A new set replaces them; inherited ones stay inherited.
    public var attributes: Set<Attribute> {
      get { Set(properties.compactMap { $0 as? Attribute }) }
      set { replace(newValue.map { $0 as any SchemaProperty }) { $0 is Attribute } }
    }

    /// The properties that reference other models. A new set replaces them; inherited ones stay inherited.
    public var relationships: Set<Relationship> {
      get { Set(properties.compactMap { $0 as? Relationship }) }
      set { replace(newValue.map { $0 as any SchemaProperty }) { $0 is Relationship } }
    }

    /// The attributes by their names. A new dictionary replaces them.
    public var attributesByName: [String: Attribute] {
      get { Dictionary(attributes.map { ($0.name, $0) }) { first, _ in first } }
      set { attributes = Set(newValue.values) }
    }
    /// The relationships by their names. A new dictionary replaces them.
    public var relationshipsByName: [String: Relationship] {
      get { Dictionary(relationships.map { ($0.name, $0) }) { first, _ in first } }
      set { relationships = Set(newValue.values) }
    }
    /// The properties of the class itself, by their names. A new dictionary replaces them.
    public var storedPropertiesByName: [String: any SchemaProperty] {
      get { Dictionary(storedProperties.map { ($0.name, $0) }) { first, _ in first } }
      set { storedProperties = Self.ordered(Array(newValue.values), as: storedProperties) }
    }
    /// The properties of the superclasses, by their names. A new dictionary replaces them.
    public var inheritedPropertiesByName: [String: any SchemaProperty] {
      get { Dictionary(inheritedProperties.map { ($0.name, $0) }) { first, _ in first } }
      set { inheritedProperties = Self.ordered(Array(newValue.values), as: inheritedProperties) }
    }

    /// Replaces attributes or relationships. Inherited names stay inherited.
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

    /// Returns properties in the order of the old ones; new properties come last, by name.
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
