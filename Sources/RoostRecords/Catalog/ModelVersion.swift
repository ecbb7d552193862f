internal import RoostBytes

/// The version of a program's models to which a store was last migrated.
///
/// A migration plan finds the store's version by it. It compares fingerprints instead of numbers:
/// the store has a version if all entities of both have equal fingerprints.
package struct ModelVersion: Hashable, Sendable {
  /// An entity as the program's models declare it.
  package struct Part: Hashable, Sendable {
    package var name: String
    /// The hash of the entity's ``Outline``.
    package var fingerprint: UInt64
    /// A hash of the program's declaration of the class. While it is unchanged, an opening does not
    /// compute the outline again.
    package var digest: UInt64
    /// Properties in the store that the program does not declare. They are kept, and are visible
    /// again when a program declares them.
    package var parked: [String]
    /// Former names of properties, as the program declares them. A later version that declares the
    /// same former name does not rename the property again.
    package var formerNames: [String: String]

    package init(
      _ name: String, fingerprint: UInt64, digest: UInt64, parked: [String], formerNames: [String: String] = [:]
    ) {
      self.name = name
      self.fingerprint = fingerprint
      self.digest = digest
      self.parked = parked
      self.formerNames = formerNames
    }
  }

  /// The number that the program gave its models, such as "2.0.0".
  package var number: String
  /// Ascending by name.
  package var parts: [Part]
  /// Names of entities that the program does not declare, ascending.
  package var parked: [String]

  package init(_ number: String, parts: [Part] = [], parked: [String] = []) {
    self.number = number
    self.parts = parts
    self.parked = parked
  }

  package func part(_ name: String) -> Part? { parts.first { $0.name == name } }
}

/// The hash of a program's declaration of a class, computed text by text.
package struct ModelDigest {
  private var bytes = ByteWriter()

  package init() {}

  package mutating func add(_ text: String) { bytes.text(text) }
  package mutating func add(_ type: FieldType) { bytes.type(type) }
  package mutating func add(_ flag: Bool) { bytes.byte(flag ? 1 : 0) }

  package var value: UInt64 { bytes.bytes.withUnsafeBytes { Checksum.of($0, seed: 0x526F_6F74) } }
}

/// The meaning of an entity for a program: names and types of its properties and its unique rules.
/// Their order, and the numbers that a store gave them, have no effect.
package struct Outline: Hashable, Sendable {
  package var entity: String
  /// The type in words, by the name of a property or of a part of one, such as "address.city".
  package var properties: [String: String]

  package init(_ entity: Entity, _ catalog: Catalog, salts: [String: String] = [:]) {
    self.entity = entity.name
    properties = [:]
    let ownReferences = Set(
      catalog.relationships(of: entity.id).compactMap { one in
        if case .one(let field) = one.shape { field } else { nil as FieldID? }
      })
    for field in entity.fields where !field.name.hasPrefix("@") && !ownReferences.contains(field.id) {
      properties[field.name] = catalog.word(field.type) + (field.isOptional && !field.isNeeded ? "?" : "")
    }
    for one in catalog.relationships(of: entity.id) where !one.isHidden && !one.name.hasPrefix("@") {
      let target = catalog.name(of: one.target) ?? ""
      var text = one.isToOne ? target + (isOptional(one, entity) ? "?" : "") : "[\(target)]"
      if let inverse = catalog.inverse(of: one), !inverse.isHidden { text += ", inverse \(inverse.name)" }
      properties[one.name] = text
    }
    for index in catalog.indexes(of: entity.id) where index.isUnique {
      let names = index.parts.compactMap { entity.field($0.field)?.name }
      if names.contains(where: { $0.hasPrefix("@") }) || index.name.hasPrefix("@") { continue }
      let rule = "unique " + names.joined(separator: ", ")
      // Several unique rules may cover the same properties if they have conditions.
      if properties[rule] == nil || index.tests.isEmpty {
        properties[rule] = index.tests.isEmpty ? "all" : index.name
      } else {
        properties[index.name] = index.name
      }
    }
    for (property, salt) in salts { properties[property, default: ""] += " " + salt }
  }

  /// Makes an outline from data outside a catalog.
  package init(_ entity: String, properties: [String: String]) {
    (self.entity, self.properties) = (entity, properties)
  }

  private func isOptional(_ one: Relationship, _ entity: Entity) -> Bool {
    guard case .one(let id) = one.shape, let field = entity.field(id) else { return true }
    return field.isOptional && !field.isNeeded
  }

  /// A hash that is equal for entities with equal meaning.
  package var fingerprint: UInt64 {
    let text = properties.sorted { $0.key < $1.key }.map { "\($0.key)\u{0}\($0.value)\u{0}" }.joined()
    return Array(text.utf8).withUnsafeBytes { Checksum.of($0, seed: 0x526F_6F73) }
  }
}

extension Catalog {
  /// The outline of an entity.
  package func outline(_ name: String) -> Outline? { entity(name).map { Outline($0, self) } }

  /// The properties that have another name in a later catalog of the same store: the new names by
  /// the old ones.
  package func renamed(_ entity: String, in later: Catalog) -> [String: String] {
    guard let was = self.entity(entity), let now = later.entity(was.id) else { return [:] }
    var names: [String: String] = [:]
    for field in was.fields {
      if let other = now.field(field.id), other.name != field.name { names[field.name] = other.name }
    }
    for one in relationships(of: was.id) {
      if let other = later.relationship(one.id), other.name != one.name { names[one.name] = other.name }
    }
    return names
  }

  /// A type as a model declares it, with the names of entities.
  package func word(_ type: FieldType) -> String {
    switch type {
    case .reference(let id): return name(of: id) ?? "entity \(id.number)"
    case .array(let element): return "[" + word(element) + "]"
    case .set(let element): return "Set<" + word(element) + ">"
    case .dictionary(let key, let value): return "[" + word(key) + ": " + word(value) + "]"
    case .presence: return "struct"
    default: return "\(type)"
    }
  }

  private func word(_ element: ElementType) -> String {
    switch element {
    case .plain(let type): return word(type)
    case .optional(let inner): return word(inner) + "?"
    case .structure(let parts): return "(" + parts.map { $0.name + ": " + word($0.type) }.joined(separator: ", ") + ")"
    }
  }
}
