internal import RoostGraph

/// Components that key paths of models have: those of properties, and what may follow one.
enum KeyPathEnds {
  /// The components of each property of a model: as its class has it, and as the class has it that declares it.
  static func properties(_ type: _ModelType) -> [[[KeyPathComponent]]] {
    type.properties.indices.map { number in
      let all = [type.heirPath(number), type.keyPath(number)].compactMap { KeyPathComponent.all(of: $0) }
      return all.count == 2 && all[0] == all[1] ? [all[0]] : all
    }
  }

  /// What stands behind a property where its value is changed, with what that means.
  static let changes: [(components: [KeyPathComponent], change: ValueChange)] = changers.compactMap { keyPath, change in
    KeyPathComponent.all(of: keyPath).map { ($0, change) }
  }

  /// Our own key paths behind a user's.
  static var changers: [(keyPath: AnyKeyPath, change: ValueChange)] {
    [
      (Composed.rank, .rank), (Composed.optionalRank, .rank), (Composed.localized, .localized),
      (Composed.optionalLocalized, .localized), (Composed.localizedStandard, .localizedStandard),
      (Composed.optionalLocalizedStandard, .localizedStandard),
    ]
  }

  /// The raw value of an enum, as our own generic code asks for it, of a value and of one that may be nil.
  static func rawValues(_ type: Any.Type) -> [[KeyPathComponent]] {
    guard let type = type as? any RawRepresentable.Type else { return [] }
    func open<Value: RawRepresentable>(_ type: Value.Type) -> [[KeyPathComponent]] {
      [Composed.rawValue(type), Composed.optionalRawValue(type) as AnyKeyPath]
        .compactMap { KeyPathComponent.all(of: $0)?.filter { !$0.isMark } }
    }
    return open(type)
  }
}
