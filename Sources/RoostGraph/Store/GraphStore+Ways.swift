internal import RoostRecords

/// Facts about relationships and indexes, computed when a store is opened.
extension GraphStore {
  static func oneWays(_ maps: [EntityMap], _ relations: [[Relation?]]) -> [Int: [OneWay]] {
    var found: [Int: [OneWay]] = [:]
    var seen: Set<RelationshipID> = []
    for map in maps {
      for case .some(let relation) in relations[map.number] where relation.isList && relation.inverse == nil {
        // Subclasses have it too.
        if !seen.insert(relation.way.id).inserted { continue }
        found[relation.home, default: []].append(
          OneWay(owner: map.home, property: relation.property, id: relation.way.id))
      }
    }
    return found
  }

  /// Whether the objects of a relationship are deleted with its owner.
  package func takesAlong(_ map: EntityMap, _ property: Int) -> Bool {
    relations[map.number][property]?.deleteRule == .cascade
  }

  /// Whether an object is deleted with the objects of its relationship.
  package func goesAlong(_ map: EntityMap, _ property: Int) -> Bool {
    guard let relation = relations[map.number][property], let inverse = relation.inverse else { return false }
    return takesAlong(maps[relation.target], inverse)
  }

  /// Whether each member of a list must have an owner, so that it can only be moved to another one.
  package func membersNeedOwner(_ map: EntityMap, _ property: Int) -> Bool {
    guard let relation = relations[map.number][property], relation.isList, !relation.isInverseList,
      let inverse = relation.inverse
    else { return false }
    return !maps[relation.target].type.mayBeNil(inverse)
  }

  static func needs(_ maps: [EntityMap], _ relations: [[Relation?]]) -> [Int: Set<FieldID>] {
    var found: [Int: Set<FieldID>] = [:]
    for map in maps {
      for case .some(let relation) in relations[map.number] {
        guard case .reference = relation.way, !map.type.mayBeNil(relation.property),
          let field = map.field(relation.property), field.isOptional
        else { continue }
        found[map.home, default: []].insert(field.id)
      }
    }
    return found
  }

  /// A unique index that concerns objects of a class, without the test of the class; nil if it does
  /// not.
  static func asked(_ index: Index, _ map: EntityMap) -> Index? {
    guard isAsked(index, map) else { return nil }
    guard let family = map.family, !index.tests.isEmpty else { return index }
    var own = index
    own.tests.removeAll { if case .equals(family.field, _) = $0 { true } else { false } }
    return own
  }

  /// Whether a unique index concerns objects of a class: some concern only one class of the entity.
  private static func isAsked(_ index: Index, _ map: EntityMap) -> Bool {
    if !index.isUnique || index.name.hasPrefix("@") { return false }
    guard let family = map.family, let number = family.classNumber(map.number) else { return true }
    return !index.tests.contains { test in
      if case .equals(family.field, let value) = test { value != .uint(UInt64(number)) } else { false }
    }
  }

  /// The one-way lists of objects of a map's entity.
  func oneWayLists(to map: EntityMap) -> [OneWay] { oneWays.isEmpty ? [] : oneWays[map.home] ?? [] }

  /// Whether a reference in this field is required.
  func needsReference(_ field: FieldID, _ map: EntityMap) -> Bool { needs[map.home]?.contains(field) == true }
}
