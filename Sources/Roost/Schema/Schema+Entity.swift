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
      set { storedProperties = storedProperties.filter { !($0 is Attribute) } + newValue.sorted { $0.name < $1.name } }
    }

    public var relationships: Set<Relationship> {
      get { Set(properties.compactMap { $0 as? Relationship }) }
      set {
        storedProperties = storedProperties.filter { !($0 is Relationship) } + newValue.sorted { $0.name < $1.name }
      }
    }

    public var attributesByName: [String: Attribute] { Self.named(attributes) }
    public var relationshipsByName: [String: Relationship] { Self.named(relationships) }
    public var storedPropertiesByName: [String: any SchemaProperty] {
      Dictionary(storedProperties.map { ($0.name, $0) }) { first, _ in first }
    }
    public var inheritedPropertiesByName: [String: any SchemaProperty] {
      Dictionary(inheritedProperties.map { ($0.name, $0) }) { first, _ in first }
    }

    private static func named<Property: SchemaProperty>(_ properties: Set<Property>) -> [String: Property] {
      Dictionary(properties.map { ($0.name, $0) }) { first, _ in first }
    }

    public var debugDescription: String {
      "Schema.Entity - name: \(name), superentity: \(superentityName ?? "nil"), properties: \(properties.map(\.name))"
    }

    public static func == (one: Entity, other: Entity) -> Bool {
      one.name == other.name && one.superentityName == other.superentityName && one.attributes == other.attributes
        && one.relationships == other.relationships && one.uniquenessConstraints == other.uniquenessConstraints
        && one.indices == other.indices
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }
}
