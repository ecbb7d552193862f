internal import RoostRecords

/// One side of a relationship in a ``ChainVersion``.
struct ChainLink {
  /// A number that stays the same when the relationship is renamed.
  var lineage: Int
  var name: String
  /// The name in the version before the rename; later versions keep it.
  var formerName: String?
  var target: String
  var isToMany: Bool
  /// Whether rows must reference an object; always false for lists and one-to-one relationships.
  var isRequired = false
  /// The property of the target that is the inverse.
  var inverse: String?
  var deleteRule = Relationship.DeleteRule.nullify
}

/// The name of a property of an entity.
struct ChainKey: Hashable, Comparable {
  var entity: String
  var name: String

  static func < (one: ChainKey, other: ChainKey) -> Bool {
    (one.entity, one.name) < (other.entity, other.name)
  }
}

/// A relationship of a version: one side, and the other one if it is declared.
struct ChainPair {
  struct End {
    /// The property, as its class declares it.
    var property: ChainKey
    var link: ChainLink
    /// The property's name in the store, and the entity that it references there.
    var key: ChainKey
    var target: String
  }

  var one: End
  var other: End?

  var ends: [End] { [one] + (other.map { [$0] } ?? []) }
}

extension ChainVersion {
  func link(_ key: ChainKey) -> ChainLink? {
    entities.first { $0.name == key.entity }?.links.first { $0.name == key.name }
  }

  /// The relationships, each once.
  var pairs: [ChainPair] {
    var pairs: [ChainPair] = []
    var seen: Set<ChainKey> = []
    for entity in entities {
      for link in entity.links {
        let property = ChainKey(entity: entity.name, name: link.name)
        if !seen.insert(property).inserted { continue }
        let inverse = link.inverse.map { ChainKey(entity: link.target, name: $0) }
        if let inverse { seen.insert(inverse) }
        let other = inverse.flatMap { key in self.link(key).map { end(key, $0) } }
        pairs.append(ChainPair(one: end(property, link), other: other))
      }
    }
    return pairs
  }

  private func end(_ property: ChainKey, _ link: ChainLink) -> ChainPair.End {
    ChainPair.End(property: property, link: link, key: stored(property), target: root(link.target))
  }

  /// Adds the relationships to the catalog of a version.
  func relate(_ catalog: inout Catalog) throws {
    for pair in pairs {
      let (one, other) =
        pair.one.link.isToMany && pair.other?.link.isToMany == false
        ? (pair.other ?? pair.one, pair.one) : (pair.one, pair.other)
      guard let target = catalog.id(of: one.target) else { continue }
      let inverse = other.map { Self.side($0) } ?? Catalog.Side()
      if one.link.isToMany {
        try catalog.add(links: Self.side(one), of: one.key.entity, to: one.target, inverse: inverse)
        continue
      }
      try catalog.change(entity: one.key.entity) { (entity) throws(RecordFault) in
        try entity.add(one.key.name, .reference(target), isOptional: !one.link.isRequired)
      }
      try catalog.add(
        reference: one.key.name, of: one.key.entity, deleteRule: one.link.deleteRule,
        inverse: inverse)
    }
  }

  private static func side(_ end: ChainPair.End) -> Catalog.Side {
    Catalog.Side(
      end.key.name, deleteRule: end.link.deleteRule, isOrdered: end.link.isToMany,
      isSingle: !end.link.isToMany)
  }
}

// MARK: Steps

extension ChainVersion {
  private func place(_ key: ChainKey) -> (entity: Int, link: Int)? {
    guard let entity = entities.firstIndex(where: { $0.name == key.entity }),
      let link = entities[entity].links.firstIndex(where: { $0.name == key.name })
    else { return nil }
    return (entity, link)
  }

  /// Returns the names that a class cannot give to a new property. They include those of its
  /// superclass and of its subclass.
  func taken(by name: String) -> Set<String> {
    let family = entities.filter { root($0.name) == root(name) }
    return Set(family.flatMap { $0.properties.map(\.name) + $0.links.map(\.name) })
  }

  mutating func edit(_ key: ChainKey, _ body: (inout ChainLink) -> Void) {
    guard let at = place(key) else { return }
    body(&entities[at.entity].links[at.link])
  }

  /// Makes a side and its inverse two relationships.
  mutating func part(_ key: ChainKey) {
    guard let link = link(key), let inverse = link.inverse else { return }
    edit(key) { $0.inverse = nil }
    edit(ChainKey(entity: link.target, name: inverse)) { $0.inverse = nil }
  }

  mutating func join(_ key: ChainKey, with other: ChainKey) {
    part(key)
    part(other)
    edit(key) { $0.inverse = other.name }
    edit(other) { $0.inverse = key.name }
    // A one-to-one relationship never requires an object.
    for (side, opposite) in [(key, other), (other, key)] where link(opposite)?.isToMany == false {
      edit(side) { $0.isRequired = false }
    }
  }

  mutating func remove(_ key: ChainKey) {
    part(key)
    guard let at = place(key) else { return }
    entities[at.entity].links.remove(at: at.link)
  }

  mutating func rename(_ key: ChainKey, to name: String) {
    guard let link = link(key) else { return }
    edit(key) {
      $0.formerName = key.name
      $0.name = name
    }
    if let inverse = link.inverse {
      edit(ChainKey(entity: link.target, name: inverse)) { $0.inverse = name }
    }
  }

  /// Removes a class with its subclasses, and the relationships to it.
  mutating func remove(entity name: String) {
    for heir in entities where heir.above == name { remove(entity: heir.name) }
    for entity in entities {
      for link in entity.links where entity.name == name || link.target == name {
        remove(ChainKey(entity: entity.name, name: link.name))
      }
    }
    entities.removeAll { $0.name == name }
  }
}
