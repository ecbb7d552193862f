internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// Converts stored values of a key path to values of its type.
enum StoredReading {
  /// Returns nil if rows do not contain the value, so that models must be read.
  static func make<Known>(
    of type: Known.Type, _ path: PropertyPath, at found: PlacedPath, in store: GraphStore
  ) -> ((Value) -> Known?)? {
    guard path.change == .none || path.change == .rawValue else { return nil }
    guard let row = found.row else { return ValueDecoding.decoder(of: type) }
    // An identifier contains the class. A reference to a class with subclasses does not say which
    // of them its model has. A model itself is not a value.
    guard TypeFacts.whole(type) == PersistentIdentifier.self, row.family == nil else { return nil }
    let name = row.type.name
    return { value in
      guard case .reference(let row) = value else { return PersistentIdentifier?.none as? Known }
      return store.identifier(name, row.number) as? Known
    }
  }
}

/// Decodes stored values as values of a program's types.
enum ValueDecoding {
  /// Returns a decoder of one type. The type is examined once.
  static func decoder<Known>(of type: Known.Type) -> ((Value) -> Known?)? {
    guard let codable = TypeFacts.codable(type) else { return nil }
    func open<One: Codable>(_ type: One.Type) -> ((Value) -> Known?)? {
      guard One.self == Known.self, let coder = try? CoderShelf.shared.coder(of: type) else { return nil }
      // Both are one type, which the compiler does not see.
      let known = unsafeDowncast(coder, to: Coder<Known>.self)
      return { known.value(from: $0) }
    }
    return open(codable)
  }

  static func decoded<Known>(_ value: Value, as type: Known.Type) -> Known? {
    guard let codable = TypeFacts.codable(type) else { return nil }
    func open<One: Codable>(_ type: One.Type) -> Any? {
      (try? CoderShelf.shared.coder(of: type)).flatMap { $0.value(from: value) }
    }
    return open(codable) as? Known
  }
}
