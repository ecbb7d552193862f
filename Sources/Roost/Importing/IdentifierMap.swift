internal import RoostGraph

/// Values by identifier, for millions of identifiers.
///
/// An identifier holds two texts. The map keeps each pair of store and class once, and two words for each identifier.
struct IdentifierMap<Value> {
  private struct Name: Hashable {
    var store: String?
    var entity: String
  }

  private struct Key: Hashable {
    var number: UInt64
    var name: UInt32
  }

  private var names: [Name: UInt32] = [:]
  private var values: [Key: Value] = [:]
  /// Of identifiers that are no rows' numbers.
  private var others: [PersistentIdentifier: Value] = [:]

  subscript(identifier: PersistentIdentifier) -> Value? {
    get {
      guard case .row(let number) = identifier.key else { return others[identifier] }
      guard let name = names[Name(store: identifier.store, entity: identifier.entityName)] else { return nil }
      return values[Key(number: number, name: name)]
    }
    set {
      guard case .row(let number) = identifier.key else { return others[identifier] = newValue }
      let name = Name(store: identifier.store, entity: identifier.entityName)
      let short = names[name] ?? UInt32(names.count)
      names[name] = short
      values[Key(number: number, name: short)] = newValue
    }
  }
}
