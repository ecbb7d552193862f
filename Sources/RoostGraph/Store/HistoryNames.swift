internal import RoostRecords

/// Finds the properties of a model by the numbers of fields and relationships in the history.
final class HistoryNames: Sendable {
  /// The fields that the history must contain for the value of a property.
  struct Wanted: Sendable {
    var fields: [FieldID] = []
    /// For a reference, the number of the map of its target.
    var target: Int?
  }

  private let byField: [FieldID: Int]
  private let byRelationship: [UInt32: Int]
  /// By number of the property; nil if the row does not store it.
  let wanted: [Wanted?]
  /// Relationships that are unique, so that they identify an object.
  let uniqueReferences: Set<Int>

  init(_ map: EntityMap, _ store: GraphStore) {
    var byField: [FieldID: Int] = [:]
    var byRelationship: [UInt32: Int] = [:]
    var wanted: [Wanted?] = []
    let unique = Set(store.uniqueIndexes[map.number].flatMap { $0.parts.map(\.field) })
    var uniqueReferences: Set<Int> = []
    for (number, property) in map.type.properties.enumerated() {
      let name = map.type.fieldName(number)
      for field in map.entity.fields where field.name == name || field.name.hasPrefix(name + ".") {
        byField[field.id] = number
      }
      if let relation = store.relations[map.number][number] {
        byRelationship[relation.way.id.number] = number
        if case .reference = relation.way, let field = map.field(number) {
          wanted.append(Wanted(fields: [field.id], target: relation.target))
          if unique.contains(field.id) { uniqueReferences.insert(number) }
          continue
        }
      }
      wanted.append(Self.wanted(property, name, map: map))
    }
    self.byField = byField
    self.byRelationship = byRelationship
    self.wanted = wanted
    self.uniqueReferences = uniqueReferences
  }

  private static func wanted(_ property: _ModelType.Property, _ name: String, map: EntityMap) -> Wanted? {
    guard case .value(let coder) = property.storage, let known = try? coder.coder() else { return nil }
    var fields: [FieldID] = []
    func add(_ coder: AnyCoder, _ name: String) -> Bool {
      if coder.field != nil {
        guard let field = map.entity.field(name) else { return false }
        fields.append(field.id)
      }
      return coder.parts.allSatisfy { add($0.coder, name + "." + $0.name) }
    }
    return add(known, name) && !fields.isEmpty ? Wanted(fields: fields) : nil
  }

  /// The properties that changed, ascending. Fields outside the model are left out.
  func properties(_ change: RowsChange) -> [Int] {
    if change.fields.isEmpty, change.relationships.isEmpty { return [] }
    var found = Set(change.fields.compactMap { byField[$0] })
    found.formUnion(change.relationships.compactMap { byRelationship[$0] })
    return found.sorted()
  }
}
