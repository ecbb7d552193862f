internal import RoostGraph
internal import RoostRecords

/// Describes a derived property, for the code that `@Model` writes. The compiler checks that it has the type of its definition.
public func _derived<Model: PersistentModel, Value>(
  _ property: KeyPath<Model, Value>, _ name: String, _ value: DerivedValue<Model, Value>
) -> Schema.Derived {
  Schema.Derived(name) {
    var faults: [String] = []
    func path(_ keyPath: AnyKeyPath?, _ word: String) -> String {
      guard let keyPath else { return "" }
      guard let path = PathShelf.shared.path(keyPath), path.change == .none, !path.names.isEmpty else {
        faults.append(
          "\(Model._$type.name).\(name) is derived from \(keyPath), which no store has: name \(word) of the model")
        return ""
      }
      return path.names.joined(separator: ".")
    }
    let kind: Derivation.Kind =
      switch value.kind {
      case .count: .count
      case .sum: .sum
      case .minimum: .minimum
      case .maximum: .maximum
      case .latest: .latest
      }
    let plan = DerivedPlan(
      name, kind, list: path(value.list, "a relationship"), value: path(value.value, "a stored property"),
      key: path(value.key, "a stored property"))
    return (plan, faults)
  }
}

/// Describes a property that is computed from its object, for the code that `@Model` writes.
///
/// - Parameter text: the key path as the program writes it, without the name of the model.
public func _derived<Model: PersistentModel, Value>(
  _ property: KeyPath<Model, Value>, _ name: String, _ computed: KeyPath<Model, Value>, version: Int = 1,
  spelled text: String = ""
) -> Schema.Derived {
  let compute = { (object: AnyObject) -> Any? in (object as? Model)?[keyPath: computed] }
  return Schema.Derived(name, compute: compute) {
    // The key path's own description contains an address.
    (DerivedPlan(name, .computed, text: "\(text) \(version)"), [])
  }
}
