/// Values by key path, for accessors that a user wrote.
///
/// SwiftData's own expansion keeps all values in such a place. Here it is made only where somebody asks for it; what stands in it of
/// properties that have a slot moves there at the first access.
public final class _Box {
  private struct Entry {
    var value: Any
    /// Stores the value by the property's own setter.
    var store: (any _ModelObject) -> Void
  }

  private var entries: [AnyKeyPath: Entry] = [:]

  package init() {}

  package func value(_ keyPath: AnyKeyPath) -> Any? { entries[keyPath]?.value }

  package func set<Model: _ModelObject, Value>(_ keyPath: KeyPath<Model, Value>, _ value: Value) {
    entries[keyPath] = Entry(value: value) { object in
      guard let model = object as? Model, let writable = keyPath as? ReferenceWritableKeyPath<Model, Value> else {
        return
      }
      model[keyPath: writable] = value
    }
  }

  /// A value that comes from a row.
  package func set(any keyPath: AnyKeyPath, _ value: Any) { entries[keyPath] = Entry(value: value) { _ in } }

  package func remove(_ keyPath: AnyKeyPath) { entries[keyPath] = nil }

  /// Gives the values of properties that have a slot to them.
  package func settle(_ object: some _ModelObject) {
    let type = type(of: object)._$type
    for (keyPath, entry) in entries {
      guard let number = type.number(of: keyPath), !type.properties[number].isByHand else { continue }
      entries[keyPath] = nil
      entry.store(object)
    }
  }
}
