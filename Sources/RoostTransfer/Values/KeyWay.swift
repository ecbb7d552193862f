internal import RoostRecords

/// How a text identifies the rows of an entity: by a unique field, or by their numbers.
struct KeyWay {
  let entity: EntityID
  /// The unique index that finds keys; nil for numbers.
  let index: String?
  /// The type of a key.
  let type: FieldType

  init(_ entity: EntityID, _ catalog: Catalog) {
    self.entity = entity
    for index in catalog.indexes(of: entity)
    where index.isUnique && index.parts.count == 1 && index.builtBelow == nil {
      // A key that is unique among some rows only does not identify the others.
      guard index.tests.isEmpty else { continue }
      guard let field = catalog.field(index.parts[0].field, of: entity) else { continue }
      if case .reference = field.type { continue }
      self.index = index.name
      type = field.type
      return
    }
    index = nil
    type = .reference(entity)
  }

  /// Whether a key may look like a row's number.
  var isText: Bool {
    switch type {
    case .string, .url, .data: index != nil
    default: false
    }
  }
}
