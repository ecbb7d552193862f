public import Foundation
internal import RoostFile

extension Schema: Codable, Hashable, CustomDebugStringConvertible {
  private enum CodingKeys: String, CodingKey { case encodingVersion, version, entities }

  public convenience init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let entities = try values.decode([Entity].self, forKey: .entities)
    let named = Dictionary(entities.map { ($0.name, $0) }) { first, _ in first }
    for entity in entities {
      guard let superentity = entity.superentityName.flatMap({ named[$0] }) else { continue }
      entity.superentity = superentity
      superentity.subentities.insert(entity)
    }
    self.init(
      entities: entities, version: try values.decode(Version.self, forKey: .version),
      encodingVersion: try values.decode(Version.self, forKey: .encodingVersion))
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(encodingVersion, forKey: .encodingVersion)
    try values.encode(version, forKey: .version)
    try values.encode(entities, forKey: .entities)
  }

  /// Writes the schema as JSON, without key paths and classes. The file is replaced atomically.
  ///
  /// - Parameter url: the file.
  /// - Throws: ``RoostError`` with the code `store` if the file cannot be written.
  public func save(to url: URL) throws {
    let data = try JSONEncoder().encode(self)
    do { try data.write(to: url, options: .atomic) } catch {
      throw Doorway.translated(StoreError(error, "the schema cannot be written", url: url))
    }
  }

  /// Reads a schema that ``save(to:)`` wrote. It has no classes, so a container cannot use it.
  ///
  /// - Parameter url: the file.
  /// - Throws: ``RoostError`` with the code `store` if the file cannot be read, and `DecodingError`
  ///   if it is not a schema.
  public static func load(from url: URL) throws -> Schema {
    let data: Data
    do { data = try Data(contentsOf: url) } catch {
      throw Doorway.translated(StoreError(error, "the schema cannot be read", url: url))
    }
    return try JSONDecoder().decode(Schema.self, from: data)
  }

  public static func == (one: Schema, other: Schema) -> Bool {
    one.version == other.version && one.entitiesByName == other.entitiesByName
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(version)
    hasher.combine(Set(entities.map(\.name)))
  }

  public var debugDescription: String { "Schema \(version) - entities: \(entities.map(\.name))" }
}

extension Schema.Entity: Codable {
  private enum CodingKeys: String, CodingKey {
    case name, superentity, attributes, relationships, inheritedAttributes, inheritedRelationships, unique, indices
    case fullTexts, indexDefinitions
  }

  public convenience init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try values.decode(String.self, forKey: .name),
      try values.decode([AttributeBox].self, forKey: .attributes).map(\.attribute)
        + values.decode([Schema.Relationship].self, forKey: .relationships))
    inheritedProperties =
      try values.decode([AttributeBox].self, forKey: .inheritedAttributes).map(\.attribute)
      + values.decode([Schema.Relationship].self, forKey: .inheritedRelationships)
    superentityName = try values.decodeIfPresent(String.self, forKey: .superentity)
    uniquenessConstraints = try values.decode([[String]].self, forKey: .unique)
    indices = try values.decode([[String]].self, forKey: .indices)
    fullTexts = try values.decodeIfPresent([Schema.FullTextProperties].self, forKey: .fullTexts) ?? []
    indexDefinitions = try values.decodeIfPresent([Schema.IndexDefinition].self, forKey: .indexDefinitions) ?? []
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(name, forKey: .name)
    try values.encodeIfPresent(superentityName, forKey: .superentity)
    try values.encode(attributes(in: storedProperties), forKey: .attributes)
    try values.encode(storedProperties.compactMap { $0.asRelationship }, forKey: .relationships)
    try values.encode(attributes(in: inheritedProperties), forKey: .inheritedAttributes)
    try values.encode(inheritedProperties.compactMap { $0.asRelationship }, forKey: .inheritedRelationships)
    try values.encode(uniquenessConstraints, forKey: .unique)
    try values.encode(indices, forKey: .indices)
    if !fullTexts.isEmpty { try values.encode(fullTexts, forKey: .fullTexts) }
    if !indexDefinitions.isEmpty { try values.encode(indexDefinitions, forKey: .indexDefinitions) }
  }

  private func attributes(in properties: [any SchemaProperty]) -> [AttributeBox] {
    properties.compactMap { $0.asAttribute.map { AttributeBox($0) } }
  }
}
