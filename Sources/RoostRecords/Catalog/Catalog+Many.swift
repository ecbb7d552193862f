extension Catalog {
  /// Adds a relationship to the rows whose reference leads to one; returns its number.
  @discardableResult
  package mutating func add(
    many name: String, of entityName: String, by other: String, _ fieldName: String
  ) throws(RecordFault) -> UInt32 {
    guard let owner = entity(entityName), let source = entity(other), let field = source.field(fieldName) else {
      throw RecordFault(.unknown, "there is no such entity or field", entity: other, field: fieldName)
    }
    guard field.type == .reference(owner.id) else {
      throw RecordFault(.wrongType, "the field does not refer to \(entityName)", entity: other, field: fieldName)
    }
    let id = (relationships.map(\.id).max() ?? 0) + 1
    let relationship = Relationship(
      id, of: owner.id, name, to: source.id, .manyByReference(source.id, field.id))
    var numbers = next
    numbers.relationship = id + 1
    self = Catalog(entities, indexes, relationships + [relationship], next: numbers)
    return id
  }
}
