internal import RoostRecords

extension GraphStore {
  /// The fields of a map's properties by number; lists have none.
  func fields(_ map: EntityMap) throws -> [Int: [FieldID]] {
    var fields: [Int: [FieldID]] = [:]
    for field in try map.type.neededFields() {
      if let id = map.entity.field(field.name)?.id { fields[field.property, default: []].append(id) }
    }
    for case .some(let relation) in relations[map.number] {
      guard case .reference = relation.way, let id = map.field(relation.property)?.id else { continue }
      fields[relation.property, default: []].append(id)
    }
    return fields
  }
}
