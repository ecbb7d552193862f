internal import RoostGraph

/// What Swift's description of a key path tells of its components.
///
/// For a property with accessors, as every property of a model is, it gives the address by which `==` compares key paths, and for a
/// stored part of a struct its name. A composed key path with a `?` in it is equal to no other one; its components are.
enum KeyPathText {
  /// The components without the type that they begin with; nil where the description looks otherwise than it should.
  static func components(_ keyPath: AnyKeyPath) -> Substring? {
    let text = String(describing: keyPath)
    let start = "\\" + String(describing: type(of: keyPath).rootType) + "."
    if text.hasPrefix(start) { return text.dropFirst(start.count) }
    // A type's name may be longer, and end in the same way.
    guard text.hasPrefix("\\"), let angle = text.range(of: ".<computed ") else { return nil }
    return text[text.index(after: angle.lowerBound)...]
  }

  /// The components of each property of a model: as its class has it, and as the class has it that declares it.
  static func properties(_ type: _ModelType) -> [[Substring]] {
    type.properties.indices.map { number in
      let all = [components(type.heirPath(number)), components(type.keyPath(number))].compactMap { $0 }
      return all.count == 2 && all[0] == all[1] ? [all[0]] : all
    }
  }

  /// What stands behind a property where its value is changed, with what that means.
  static let changes: [(text: Substring, change: ValueChange)] = changers.compactMap { keyPath, change in
    components(keyPath).map { ($0, change) }
  }

  /// Our own key paths behind a user's.
  static var changers: [(keyPath: AnyKeyPath, change: ValueChange)] {
    [
      (\Bool.rank, .rank), (\Bool?.rank, .rank), (\String.localized, .localized), (\String?.localized, .localized),
      (\String.localizedStandard, .localizedStandard), (\String?.localizedStandard, .localizedStandard),
    ]
  }

  /// The raw value of an enum, as our own generic code asks for it, of a value and of one that may be nil.
  static func rawValues(_ type: Any.Type) -> [Substring] {
    guard let type = type as? any RawRepresentable.Type else { return [] }
    func open<Value: RawRepresentable>(_ type: Value.Type) -> [Substring] {
      let optional = components(Composed.optionalRawValue(type))?.drop { "?.".contains($0) }
      return [components(Composed.rawValue(type)), optional.map { $0.hasSuffix("?") ? $0.dropLast() : $0 }]
        .compactMap { $0 }
    }
    return open(type)
  }
}
