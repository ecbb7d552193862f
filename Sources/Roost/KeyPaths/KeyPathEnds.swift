internal import RoostGraph

/// The components of key paths of models: those of properties, and those that may follow a
/// property.
enum KeyPathEnds {
  /// The components of each property of a model: as seen from its class, and as seen from the class
  /// that declares it.
  static func properties(_ type: _ModelType) -> [[[KeyPathComponent]]] {
    type.properties.indices.map { number in
      let all = [type.heirPath(number), type.keyPath(number)].compactMap { KeyPathComponent.all(of: $0) }
      return all.count == 2 && all[0] == all[1] ? [all[0]] : all
    }
  }

  /// The components after a property that change its value, with their meaning.
  static let changes: [(components: [KeyPathComponent], change: ValueChange)] = changers.compactMap { keyPath, change in
    KeyPathComponent.all(of: keyPath).map { ($0, change) }
  }

  /// Roost's own key paths that are appended to a program's.
  static var changers: [(keyPath: AnyKeyPath, change: ValueChange)] {
    [
      (Composed.rank, .rank), (Composed.optionalRank, .rank), (Composed.localized, .localized),
      (Composed.optionalLocalized, .localized), (Composed.localizedStandard, .localizedStandard),
      (Composed.optionalLocalizedStandard, .localizedStandard),
    ]
  }

  /// The raw value of an enum and of an optional enum, as Roost's own generic code reads it.
  static func rawValues(_ type: Any.Type) -> [[KeyPathComponent]] {
    guard let type = type as? any RawRepresentable.Type else { return [] }
    func open<Value: RawRepresentable>(_ type: Value.Type) -> [[KeyPathComponent]] {
      [Composed.rawValue(type), Composed.optionalRawValue(type) as AnyKeyPath]
        .compactMap { KeyPathComponent.all(of: $0)?.filter { !$0.isMark } }
    }
    return open(type)
  }
}
