internal import Roost
internal import RoostGraph
internal import RoostRecords
internal import RoostTransfer

extension ImportTarget {
  /// What the classes say of rows that the catalog does not.
  func shape() throws -> ImportShape? {
    guard let map else { return nil }
    var names: [String: String] = [:]
    for property in map.type.properties.indices {
      let (field, name) = (map.type.fieldName(property), map.type.propertyName(property))
      if field != name { names[name] = field }
    }
    let others = store.maps.filter { $0 !== map && $0.isKind(of: map) }
    var checks: [String: @Sendable (Value) -> String?] = [:]
    let kinds = try ([map] + others).map { map in
      let blank = try RowBlank(map)
      for (field, check) in blank.checks { checks[field] = check }
      return ImportShape.Kind(
        map.type.name, number: blank.classNumber, required: blank.required,
        initials: blank.initials.map { field, value in
          switch value {
          case .always(let value): (field, .always(value))
          case .anew(let make): (field, .anew(make))
          }
        })
    }
    return ImportShape(kinds, names: names, mutual: mutual, checks: checks)
  }
}
