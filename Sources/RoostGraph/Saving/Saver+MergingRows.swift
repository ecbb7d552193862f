internal import RoostFile
internal import RoostRecords

/// Merges a new object into the row that has its unique values.
extension Saver {
  struct MergedRow {
    var row: UInt64
    /// Whether no row had the values, so that the row is new.
    var isNew: Bool
    var choice: UniqueChoice
    /// The properties of the row whose values changed.
    var fields: [String]
  }

  /// - Parameters:
  ///   - object: the object.
  ///   - map: the map of its class.
  ///   - policy: the policy of the merge; it must not call a closure.
  ///   - box: contains the object's row.
  ///   - table: the table of the row.
  func mergeRow(
    _ object: any _ModelObject, _ map: EntityMap, policy: UniquePolicy, box: SinkBox, table: TableWriter
  ) throws -> MergedRow {
    var choice = UniqueChoice.upsert
    let wanted: UpsertPolicy
    switch policy {
    case .always(let always):
      choice = always
      wanted = always.policy
    case .newest(_, let isNewer):
      wanted = .byRow { row in
        choice = try self.compare(object, map, to: row, of: table, by: isNewer) ? .upsert : .keepExisting
        return choice.policy
      }
    case .fields(let properties): wanted = .fields(map.fields(of: properties))
    case .asks: preconditionFailure("the closure of the policy was called before")
    }
    // Unique indexes of its references do not identify the row.
    let merged = try table.merge(&box.sink.builder, among: store.uniques(of: map).map(\.id), wanted)
    var fields: [String] = []
    for field in merged.changed {
      let name = box.property(field) { property(map.entity.field(field)?.name).map { String($0.prefix { $0 != "." }) } }
      if let name, !fields.contains(name) { fields.append(name) }
    }
    return MergedRow(row: merged.id.number, isNew: merged.outcome == .inserted, choice: choice, fields: fields)
  }

  /// Whether an object is newer than a row, or as new, as the program's comparison says. It may read a
  /// computed property.
  func compare(
    _ object: any _ModelObject, _ map: EntityMap, to row: Row, of table: TableWriter,
    by isNewer: (_ inserted: any _ModelObject, _ existing: any _ModelObject) -> Bool
  ) throws -> Bool {
    let existing = Scratch(map, links)
    defer { existing.leave() }
    existing.begin(row, table)
    writes?.markPending()
    let answer = isNewer(object, existing.object)
    if let failure = existing.failure { throw failure }
    if existing.changed == 0 { return answer }
    let changed = map.type.properties.indices.first { existing.changed & _ModelState.bit($0) != 0 }
    throw SaveRefusal(faults: [
      GraphFault(
        .badValue, "a getter that .newest(by:) calls changed it: let the getter only read, or use .resolve",
        name: ObjectName(map.type.name, row.id.number), property: changed.map(map.type.propertyName))
    ])
  }
}

extension UniqueChoice {
  fileprivate var policy: UpsertPolicy {
    switch self {
    case .upsert: .replace
    case .keepExisting: .keepExisting
    case .mergeNonNil: .mergeNonNil
    case .refuse: .throw
    }
  }
}

extension EntityMap {
  /// The fields of properties, with those of their parts.
  func fields(of properties: [Int]) -> Set<FieldID> {
    var found: Set<FieldID> = []
    for property in properties {
      let name = type.fieldName(property)
      for field in entity.fields where field.name == name || field.name.hasPrefix(name + ".") { found.insert(field.id) }
    }
    return found
  }
}
