internal import Roost
internal import RoostGraph
internal import RoostRecords
internal import RoostTransfer

extension ImportTarget {
  /// The rules of the classes that the catalog does not contain.
  func shape() throws -> ImportShape? {
    guard let map else { return nil }
    var names: [String: String] = [:]
    for property in map.type.properties.indices {
      let (field, name) = (map.type.fieldName(property), map.type.propertyName(property))
      if field != name { names[name] = field }
    }
    // The store computes derived fields. It ignores the values of a record.
    let derived = try store.records.read { reader in
      let entity = map.entity
      return Set(reader.catalog.derivations(of: entity.id).compactMap { entity.field($0.field)?.name })
    }
    let others = store.maps.filter { $0 !== map && $0.isKind(of: map) }
    var checks: [String: @Sendable (Value) -> String?] = [:]
    var rules: [String: @Sendable (Value) -> String?] = [:]
    let kinds = try ([map] + others).map { map in
      let blank = try RowBlank(map)
      for (field, check) in blank.checks { checks[field] = check }
      let own = store.fieldRules(map)
      for (field, rule) in own { rules[field] = rule }
      // An initial value of the class that breaks a rule is not valid for a new row.
      let broken = blank.initials.filter { field, value in
        switch value {
        case .always(let value): own[field]?(value) != nil
        case .anew(let make): make().flatMap { own[field]?($0) } != nil
        }
      }
      return ImportShape.Kind(
        map.type.name, number: blank.classNumber,
        required: (blank.required + broken.map(\.field)).filter { !derived.contains($0) },
        initials: blank.initials.map { field, value in
          switch value {
          case .always(let value): (field, .always(value))
          case .anew(let make): (field, .anew(make))
          }
        })
    }
    return ImportShape(kinds, names: names, mutual: mutual, checks: checks, rules: rules)
  }
}
