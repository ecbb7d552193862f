/// Changes of the catalog that keep the meaning of stored rows. None of them writes a row.
extension Catalog {
  // MARK: Names

  /// Gives fields and relationships of an entity other names. All change at once, so two may exchange their names.
  ///
  /// A reference is a field and a relationship: both get the name. Indexes that are named after their fields follow.
  package mutating func rename(_ names: [String: String], of entityName: String) throws(RecordFault) {
    guard let place = entities.firstIndex(where: { $0.name == entityName }) else {
      throw RecordFault(.unknown, "there is no such entity", entity: entityName)
    }
    let old = entities[place]
    for at in old.fields.indices { rename(field: at, of: place, names: names) }
    for at in relationships.indices where relationships[at].entity == old.id && !relationships[at].isHidden {
      if let name = names[relationships[at].name] { relationships[at].name = name }
    }
    let (fields, links) = (
      entities[place].fields.map(\.name),
      relationships.filter { $0.entity == old.id && !$0.isHidden }.map(\.name)
    )
    guard Set(fields).count == fields.count, Set(links).count == links.count, !fields.contains("") else {
      throw RecordFault(.conflict, "two properties would have one name", entity: entityName)
    }
    for at in indexes.indices where indexes[at].entity == old.id {
      indexes[at].name = Self.name(indexes[at], was: old, becomes: entities[place])
    }
    for at in textIndexes.indices where textIndexes[at].entity == old.id {
      textIndexes[at].name = Self.name(
        textIndexes[at].name, textIndexes[at].fields, was: old, becomes: entities[place])
    }
  }

  private mutating func rename(field at: Int, of place: Int, names: [String: String]) {
    if let name = names[entities[place].fields[at].name] { entities[place].fields[at].name = name }
  }

  /// An index's name after its fields got other names. What models call an index contains forms and conditions.
  private static func name(_ index: Index, was old: Entity, becomes new: Entity) -> String {
    let (before, after) = (index.definition(in: old), index.definition(in: new))
    if index.name.hasPrefix(before) { return after + index.name.dropFirst(before.count) }
    return name(index.name, index.parts.map(\.field), was: old, becomes: new)
  }

  /// A name after its fields got other names.
  private static func name(_ name: String, _ parts: [FieldID], was old: Entity, becomes new: Entity) -> String {
    func fields(_ entity: Entity) -> String {
      var text = ""
      for part in parts { text += (text.isEmpty ? "" : ", ") + (entity.field(part)?.name ?? "") }
      return text
    }
    let (before, after) = (fields(old), fields(new))
    for prefix in ["@", "unique ", ""] where name.hasPrefix(prefix + before) {
      return prefix + after + name.dropFirst(prefix.count + before.count)
    }
    return name
  }

  // MARK: Optional fields

  /// Sets whether a field may be nil, and which value rows without a value show.
  ///
  /// The keys of optional fields begin with another byte, and index conditions may see other
  /// values. So the indexes over the field are filled again.
  package mutating func set(
    field id: FieldID, of entityName: String, isOptional: Bool, initial: Value?
  ) throws(RecordFault) {
    try change(entity: entityName) { (entity) throws(RecordFault) in
      for place in entity.fields.indices where entity.fields[place].id == id {
        entity.fields[place].isOptional = isOptional
        entity.fields[place].initial = initial
      }
    }
    guard let entity = self.id(of: entityName) else { return }
    for index in indexes where index.entity == entity && index.fields.contains(id) {
      renew(index: index.id)
    }
    // A row whose value is nil now shows the initial value.
    renewTextIndexes(of: entity, over: id)
  }

  /// Gives an index a new number, so that it is filled again.
  private mutating func renew(index id: IndexID) {
    guard let place = indexes.firstIndex(where: { $0.id == id }) else { return }
    let new = IndexID(next.index)
    next.index += 1
    indexes[place].id = new
    if indexes[place].builtBelow != nil { indexes[place].builtBelow = RowID(0) }
    for at in relationships.indices where relationships[at].index == id { relationships[at].index = new }
  }

  // MARK: Sides of relationships

  /// Removes the name of one side. The other side keeps its rows.
  package mutating func hide(relationship id: RelationshipID) {
    guard let place = relationships.firstIndex(where: { $0.id == id }) else { return }
    relationships[place].name = ""
    relationships[place].traits.insert(.hidden)
  }

  /// Turns the rows that refer to one row into an ordered list. The first order is that of the row
  /// numbers, for which nothing is stored.
  package mutating func order(relationship id: RelationshipID) {
    guard let place = relationships.firstIndex(where: { $0.id == id }) else { return }
    relationships[place].traits.insert(.ordered)
  }

  /// Sets whether at most one row may refer to the same row. The index of the reference is filled
  /// again. If `isSingle` is true, the index refuses two rows with the same reference.
  package mutating func set(relationship id: RelationshipID, isSingle: Bool) throws(RecordFault) {
    guard let place = relationships.firstIndex(where: { $0.id == id }),
      let one = relationship(relationships[place].inverse),
      case .one(let field) = one.shape, let entity = entity(one.entity)
    else { throw RecordFault(.unknown, "there is no such list of references") }
    if isSingle {
      relationships[place].traits.insert(.single)
      relationships[place].traits.remove(.ordered)
    } else {
      relationships[place].traits.remove(.single)
    }
    if one.traits.contains(.ownsIndex), let index = one.index {
      for at in indexes.indices where indexes[at].id == index { indexes[at].isUnique = isSingle }
      return renew(index: index)
    }
    // This index belongs to a unique property, or the models declare it.
    let name = entity.field(field)?.name ?? ""
    let index = try add(index: "@" + name, of: entity.name, on: [name], isUnique: isSingle)
    for at in relationships.indices where relationships[at].id == id || relationships[at].id == one.id {
      relationships[at].index = index
      if relationships[at].id == one.id { relationships[at].traits.insert(.ownsIndex) }
    }
  }
}
