/// The schema of a store: entities, indexes and relationships. It is stored in the store's tree
/// `meta`.
///
/// ## Invariants
/// 1. Numbers of entities, fields, indexes and relationships are never given twice.
/// 2. Every name that refers to another part of the catalog refers to an existing part.
package struct Catalog: Hashable, Sendable {
  package internal(set) var entities: [Entity] = []
  package internal(set) var indexes: [Index] = []
  package internal(set) var relationships: [Relationship] = []
  package internal(set) var textIndexes: [FullTextIndex] = []
  /// The derived fields, in the order of their entities and fields.
  package internal(set) var derivations: [Derivation] = []
  /// The version of the models to which the store was last migrated; nil if no program named one.
  package var version: ModelVersion?
  var next = Numbers()

  struct Numbers: Hashable, Sendable {
    var entity: UInt32 = 1
    var index: UInt32 = 1
    var relationship: UInt32 = 1
  }

  package init() {}

  init(_ entities: [Entity], _ indexes: [Index], relationships: [Relationship], next: Numbers) {
    self.entities = entities
    self.indexes = indexes
    self.relationships = relationships
    self.next = next
  }

  // Searches by position, so only the found entity is copied.
  package func entity(_ name: String) -> Entity? {
    for place in entities.indices where entities[place].name == name { return entities[place] }
    return nil
  }
  package func entity(_ id: EntityID) -> Entity? {
    for place in entities.indices where entities[place].id == id { return entities[place] }
    return nil
  }
  package func id(of name: String) -> EntityID? {
    for place in entities.indices where entities[place].name == name { return entities[place].id }
    return nil
  }
  package func name(of id: EntityID) -> String? {
    for place in entities.indices where entities[place].id == id { return entities[place].name }
    return nil
  }
  package func field(_ field: FieldID, of id: EntityID) -> Field? {
    for place in entities.indices where entities[place].id == id { return entities[place].field(field) }
    return nil
  }
  mutating func forgetNotes() {
    for entity in entities.indices {
      for field in entities[entity].fields.indices {
        entities[entity].fields[field].cases = nil
        entities[entity].fields[field].isNeeded = false
      }
    }
  }

  /// Sets whether objects of the subclass that adds a field must have a value.
  package mutating func setNeeded(_ isNeeded: Bool, field: FieldID, of entity: String) {
    for place in entities.indices where entities[place].name == entity {
      entities[place].setNeeded(isNeeded, of: field)
    }
  }

  package func indexes(of id: EntityID) -> [Index] { indexes.filter { $0.entity == id } }

  // MARK: Changing

  /// Adds an entity whose fields `body` adds.
  @discardableResult
  package mutating func add(
    entity name: String, _ body: (inout Entity) throws(RecordFault) -> Void = { (_) throws(RecordFault) in }
  ) throws(RecordFault) -> EntityID {
    guard !name.isEmpty, entity(name) == nil else {
      throw RecordFault(.conflict, "there already is an entity of this name, or the name is empty", entity: name)
    }
    var entity = Entity(EntityID(next.entity), name)
    try body(&entity)
    try entity.settle()
    next.entity += 1
    entities.append(entity)
    return entity.id
  }

  /// Changes an entity's name and fields. Its indexes must still have what they need.
  package mutating func change(
    entity name: String, _ body: (inout Entity) throws(RecordFault) -> Void
  ) throws(RecordFault) {
    guard let index = entities.firstIndex(where: { $0.name == name }) else {
      throw RecordFault(.unknown, "there is no such entity", entity: name)
    }
    var changed = entities[index]
    try body(&changed)
    try changed.settle()
    guard changed.name == name || entity(changed.name) == nil, !changed.name.isEmpty else {
      throw RecordFault(
        .conflict, "there already is an entity of this name, or the name is empty", entity: changed.name)
    }
    for index in indexes where index.entity == changed.id {
      for field in index.fields where changed.field(field) == nil {
        throw RecordFault(.conflict, "the index \(index.name) needs a field that is removed", entity: name)
      }
    }
    try checkTextIndexes(of: changed)
    for one in relationships where one.entity == changed.id {
      if case .one(let field) = one.shape, changed.field(field)?.type != .reference(one.target) {
        throw RecordFault(.conflict, "the relationship \(one.name) needs a field that is removed", entity: name)
      }
    }
    entities[index] = changed
    dropTornDerivations()
  }

  /// Removes an entity with its indexes and rows. No reference to it or from it may exist.
  package mutating func remove(entity name: String) throws(RecordFault) {
    guard let entity = entity(name) else { throw RecordFault(.unknown, "there is no such entity", entity: name) }
    for one in relationships where one.entity == entity.id || one.target == entity.id {
      throw RecordFault(.conflict, "the relationship \(one.name) must be removed first", entity: name)
    }
    for other in entities where other.id != entity.id {
      for field in other.fields where field.type == .reference(entity.id) {
        throw RecordFault(.conflict, "a field of \(other.name) refers to it", entity: name, field: field.name)
      }
    }
    indexes.removeAll { $0.entity == entity.id }
    textIndexes.removeAll { $0.entity == entity.id }
    entities.removeAll { $0.id == entity.id }
    dropTornDerivations()
  }

  /// Adds an index. It is filled from the rows when the catalog is set, or in steps if it is built later.
  @discardableResult
  package mutating func add(
    index name: String, of entityName: String, on fields: [String], descending: Set<String> = [],
    isUnique: Bool = false,
    tests: [Index.Test] = [], isBuiltLater: Bool = false
  ) throws(RecordFault) -> IndexID {
    guard let entity = entity(entityName) else {
      throw RecordFault(.unknown, "there is no such entity", entity: entityName)
    }
    var parts: [Index.Part] = []
    for name in fields {
      guard let field = entity.field(name) else {
        throw RecordFault(.unknown, "there is no such field", entity: entityName, field: name)
      }
      guard KeyCoding.isOrdered(field.type) else {
        throw RecordFault(.wrongType, "values of this field's type have no order", entity: entityName, field: name)
      }
      parts.append(Index.Part(field.id, isDescending: descending.contains(name)))
    }
    return try add(
      index: name, of: entityName, parts: parts, isUnique: isUnique, tests: tests, isBuiltLater: isBuiltLater)
  }

  /// Adds an index of parts in any form. It is filled as described above.
  @discardableResult
  package mutating func add(
    index name: String, of entityName: String, parts: [Index.Part], isUnique: Bool = false,
    tests: [Index.Test] = [], isBuiltLater: Bool = false
  ) throws(RecordFault) -> IndexID {
    guard let entity = entity(entityName) else {
      throw RecordFault(.unknown, "there is no such entity", entity: entityName)
    }
    guard !parts.isEmpty, !indexes.contains(where: { $0.entity == entity.id && $0.name == name }) else {
      throw RecordFault(.conflict, "there already is an index named \(name), or it has no fields", entity: entityName)
    }
    let parts = Index.normal(parts)
    if isUnique, let part = parts.first(where: { derivation(of: $0.field, in: entity.id) != nil }) {
      throw RecordFault(
        .conflict, "a derived value cannot be unique", entity: entityName, field: entity.field(part.field)?.name)
    }
    let id = IndexID(next.index)
    next.index += 1
    var index = Index(id, of: entity.id, name, parts: parts, isUnique: isUnique, tests: tests)
    if let fault = index.complaint(in: entity) {
      next.index -= 1
      throw RecordFault(.conflict, "the index \(name) \(fault)", entity: entityName)
    }
    if isBuiltLater { index.builtBelow = RowID(0) }
    indexes.append(index)
    return id
  }

  package mutating func remove(index name: String, of entityName: String) throws(RecordFault) {
    guard let entity = entity(entityName),
      let at = indexes.firstIndex(where: { $0.entity == entity.id && $0.name == name })
    else { throw RecordFault(.unknown, "there is no index named \(name)", entity: entityName) }
    if let one = relationships.first(where: { $0.index == indexes[at].id }) {
      throw RecordFault(.conflict, "the relationship \(one.name) needs the index \(name)", entity: entityName)
    }
    indexes.remove(at: at)
  }

  mutating func set(_ index: Index) {
    if let at = indexes.firstIndex(where: { $0.id == index.id }) { indexes[at] = index }
  }
}
