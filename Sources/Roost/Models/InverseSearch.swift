internal import RoostGraph

/// Finds the pairs of relationships that are inverses of each other.
///
/// A key path that the program named comes first. Otherwise two relationships are a pair if they
/// reference each other's entity and are the only ones to do so. If two relationships name the same
/// inverse, it belongs to the first; the other one has no inverse.
struct InverseSearch {
  private(set) var faults: [SchemaFault] = []
  private let owners: [(type: any PersistentModel.Type, entity: Schema.Entity)]
  /// Relationships whose named inverse belongs to another one.
  private var oneWay: Set<ObjectIdentifier> = []

  init(_ owners: [(any PersistentModel.Type, Schema.Entity)]) {
    self.owners = owners.map { (type: $0.0, entity: $0.1) }
    takeNamed()
    takeOnly()
  }

  private func relationships(_ entity: Schema.Entity) -> [Schema.Relationship] {
    entity.storedProperties.compactMap { $0.asRelationship }
  }

  /// Returns the relationship of a key path, in any class that declares it.
  private func find(_ keyPath: AnyKeyPath) -> (entity: Schema.Entity, relationship: Schema.Relationship)? {
    for owner in owners {
      if let found = relationships(owner.entity).first(where: { $0.keypath == keyPath }) {
        return (owner.entity, found)
      }
    }
    // A subclass may name an inherited property.
    for owner in owners {
      guard let number = owner.type._$type.number(of: keyPath) else { continue }
      let (declaring, name) = (owner.type._$type.owner(of: number), owner.type._$type.propertyName(number))
      guard let above = owners.first(where: { $0.type._$type === declaring }) else { continue }
      return relationships(above.entity).first { $0.name == name }.map { (above.entity, $0) }
    }
    return nil
  }

  private func name(_ keyPath: AnyKeyPath) -> String {
    for owner in owners {
      guard let number = owner.type._$type.number(of: keyPath) else { continue }
      return "\(owner.entity.name).\(owner.type._$type.properties[number].name)"
    }
    return "\(keyPath)"
  }

  private mutating func takeNamed() {
    for owner in owners {
      for one in relationships(owner.entity) {
        if one.options.contains(.mutual) { takeMutual(one, owner.entity) }
        guard let keyPath = one.inverseKeyPath else { continue }
        let place = "\(owner.entity.name).\(one.name)"
        guard let (entity, other) = find(keyPath) else {
          faults.append(
            SchemaFault(
              "the inverse of \(place) is not a relationship: \(name(keyPath)); name one that references \(owner.entity.name)"
            ))
          continue
        }
        let back = "\(entity.name).\(other.name)"
        guard leads(one, to: entity), leads(other, to: owner.entity) else {
          faults.append(
            SchemaFault(
              "\(back) cannot be the inverse of \(place), because the two do not reference each other: name one that references "
                + owner.entity.name))
          continue
        }
        if let known = one.inverseName, known != other.name {
          faults.append(SchemaFault("\(place) has two inverses, \(known) and \(other.name): name one of them only"))
          continue
        }
        if other !== one, let known = other.inverseName, known != one.name {
          Warning.inverse.say(
            "\(back) is the inverse of \(known), so \(place), which names it too, has no inverse", about: place)
          oneWay.insert(ObjectIdentifier(one))
          continue
        }
        one.inverseName = other.name
        other.inverseName = one.name
        if other.inverseKeyPath == nil { other.inverseKeyPath = one.keypath }
      }
    }
  }

  private mutating func takeMutual(_ one: Schema.Relationship, _ entity: Schema.Entity) {
    let place = "\(entity.name).\(one.name)"
    guard one.destination == entity.name else {
      return faults.append(
        SchemaFault("\(place) cannot be mutual, because it references \(one.destination): leave .mutual out"))
    }
    guard one.inverseKeyPath == nil || one.inverseKeyPath == one.keypath else {
      return faults.append(SchemaFault("\(place) is mutual, so it is its own inverse: name no other one"))
    }
    one.inverseKeyPath = one.keypath
  }

  private mutating func takeOnly() {
    for owner in owners {
      for one in relationships(owner.entity) where isOpen(one) {
        guard let target = owners.first(where: { $0.entity.name == one.destination }) else { continue }
        let candidates = open(relationships(target.entity), to: owner.entity, but: one)
        let rivals = open(relationships(owner.entity), to: target.entity, but: nil)
        if candidates.isEmpty { continue }
        if candidates.count == 1, rivals.count == 1 || target.entity === owner.entity && rivals.count == 2 {
          one.inverseName = candidates[0].name
          one.inverseKeyPath = candidates[0].keypath
          candidates[0].inverseName = one.name
          candidates[0].inverseKeyPath = one.keypath
        } else if target.entity !== owner.entity {
          let names = candidates.map { "\(target.entity.name).\($0.name)" }.sorted()
          let others = rivals.map { "\(owner.entity.name).\($0.name)" }.sorted()
          let fault = SchemaFault(
            "\(others.joined(separator: ", ")) and \(names.joined(separator: ", ")) can be paired in several ways: "
              + "write @Relationship(inverse:) on one side of each pair")
          let mirrored = SchemaFault(
            "\(names.joined(separator: ", ")) and \(others.joined(separator: ", ")) can be paired in several ways: "
              + "write @Relationship(inverse:) on one side of each pair")
          if !faults.contains(fault), !faults.contains(mirrored) { faults.append(fault) }
        }
      }
    }
  }

  private func open(
    _ list: [Schema.Relationship], to entity: Schema.Entity, but one: Schema.Relationship?
  ) -> [Schema.Relationship] {
    list.filter { $0 !== one && isOpen($0) && $0.destination == entity.name }
  }

  private func isOpen(_ one: Schema.Relationship) -> Bool {
    one.inverseName == nil && !oneWay.contains(ObjectIdentifier(one))
  }

  private func leads(_ one: Schema.Relationship, to entity: Schema.Entity) -> Bool {
    var next: Schema.Entity? = entity
    while let at = next {
      if one.destination == at.name { return true }
      next = at.superentity
    }
    return owners.contains { $0.entity.name == one.destination && isBelow($0.entity, entity) }
  }

  private func isBelow(_ one: Schema.Entity, _ other: Schema.Entity) -> Bool {
    var next = one.superentity
    while let at = next {
      if at === other { return true }
      next = at.superentity
    }
    return false
  }
}
