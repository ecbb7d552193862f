internal import RoostGraph

/// Values by identifier, for millions of identifiers.
///
/// An identifier has two texts. The map keeps each pair of store and class once, and two words for
/// each identifier.
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
  /// The last name that a value was set for. Most consecutive identifiers have the same name, so
  /// its texts need no hashing.
  private var last: (name: Name, number: UInt32)?
  private var values: [Key: Value] = [:]
  /// The values of identifiers without a row number.
  private var others: [PersistentIdentifier: Value] = [:]

  subscript(identifier: PersistentIdentifier) -> Value? {
    get {
      guard case .row(let number) = identifier.key else { return others[identifier] }
      guard let name = self.number(of: identifier) else { return nil }
      return values[Key(number: number, name: name)]
    }
    set {
      guard case .row(let number) = identifier.key else { return others[identifier] = newValue }
      let name = self.number(of: identifier) ?? UInt32(names.count)
      if name != last?.number {
        let text = Name(store: identifier.store, entity: identifier.entityName)
        last = (text, name)
        names[text] = name
      }
      values[Key(number: number, name: name)] = newValue
    }
  }

  private func number(of identifier: PersistentIdentifier) -> UInt32? {
    if let last, last.name.entity == identifier.entityName, last.name.store == identifier.store { return last.number }
    return names[Name(store: identifier.store, entity: identifier.entityName)]
  }
}
