package import RoostText

/// Full text indexes.
extension Catalog {
  package func textIndexes(of id: EntityID) -> [FullTextIndex] {
    // Most catalogs have none.
    textIndexes.isEmpty ? [] : textIndexes.filter { $0.entity == id }
  }

  package func textIndex(_ id: IndexID) -> FullTextIndex? { textIndexes.first { $0.id == id } }

  /// The full text index of this name; nil if the entity has none.
  package func textIndex(_ name: String, of entityName: String) -> FullTextIndex? {
    guard let entity = id(of: entityName) else { return nil }
    return textIndexes.first { $0.entity == entity && $0.name == name }
  }

  /// Adds a full text index over text fields. It is filled when the catalog is set, or in steps if it is built later.
  @discardableResult
  package mutating func add(
    textIndex name: String, of entityName: String, on fields: [String], analyzer: TextAnalyzer,
    isBuiltLater: Bool = false
  ) throws(RecordFault) -> IndexID {
    guard let entity = entity(entityName) else {
      throw RecordFault(.unknown, "there is no such entity", entity: entityName)
    }
    guard !name.isEmpty, !textIndexes.contains(where: { $0.entity == entity.id && $0.name == name }) else {
      throw RecordFault(
        .conflict, "there already is a full text index named \(name), or the name is empty", entity: entityName)
    }
    guard (1...FullTextIndex.mostFields).contains(fields.count), Set(fields).count == fields.count else {
      throw RecordFault(
        .conflict, "the full text index \(name) needs 1 to \(FullTextIndex.mostFields) different fields",
        entity: entityName)
    }
    var covered: [FieldID] = []
    for name in fields {
      guard let field = entity.field(name) else {
        throw RecordFault(.unknown, "there is no such field", entity: entityName, field: name)
      }
      guard field.type == .string else {
        throw RecordFault(.wrongType, "a full text index covers fields of type String", entity: entityName, field: name)
      }
      covered.append(field.id)
    }
    let id = IndexID(next.index)
    next.index += 1
    textIndexes.append(
      FullTextIndex(
        id, of: entity.id, name, fields: covered, analyzer: analyzer, builtBelow: isBuiltLater ? RowID(0) : nil))
    return id
  }

  package mutating func remove(textIndex name: String, of entityName: String) throws(RecordFault) {
    guard let found = textIndex(name, of: entityName) else {
      throw RecordFault(.unknown, "there is no full text index named \(name)", entity: entityName)
    }
    textIndexes.removeAll { $0.id == found.id }
  }

  mutating func set(_ index: FullTextIndex) {
    if let at = textIndexes.firstIndex(where: { $0.id == index.id }) { textIndexes[at] = index }
  }

  /// Throws unless the full text indexes of an entity have their fields.
  func checkTextIndexes(of entity: Entity) throws(RecordFault) {
    for index in textIndexes(of: entity.id) {
      for field in index.fields where entity.field(field)?.type != .string {
        throw RecordFault(
          .conflict, "the full text index \(index.name) needs a field that is removed", entity: entity.name)
      }
    }
  }

  /// Gives the full text indexes over a field new numbers, so that they are filled again.
  mutating func renewTextIndexes(of entity: EntityID, over field: FieldID) {
    for place in textIndexes.indices where textIndexes[place].entity == entity {
      guard textIndexes[place].fields.contains(field) else { continue }
      textIndexes[place].id = IndexID(next.index)
      next.index += 1
      if textIndexes[place].builtBelow != nil { textIndexes[place].builtBelow = RowID(0) }
    }
  }
}
