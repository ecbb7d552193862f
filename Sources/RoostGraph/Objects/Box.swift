/// Values by key path, for accessors that a user wrote.
///
/// SwiftData's own macro expansion keeps all values in such a box. Here it is made only when code
/// uses it. Values of properties that have a slot move there at the first access.
public final class _Box {
  private var values: [AnyKeyPath: Any] = [:]

  package init() {}

  package var isEmpty: Bool { values.isEmpty }
  package func value(_ keyPath: AnyKeyPath) -> Any? { values[keyPath] }
  // The old value is released after the access: it may be a user's object, whose `deinit` reads the
  // box.
  package func set(_ keyPath: AnyKeyPath, _ value: Any) { _ = values.updateValue(value, forKey: keyPath) }
  package func remove(_ keyPath: AnyKeyPath) { _ = values.removeValue(forKey: keyPath) }

  /// Removes and returns the values of properties that have a slot, each with its property's
  /// number.
  func takeSlotted(_ type: _ModelType) -> [(property: Int, value: Any)] {
    var taken: [(property: Int, value: Any)] = []
    for (keyPath, value) in values {
      guard let number = type.number(of: keyPath), !type.properties[number].isByHand else { continue }
      values[keyPath] = nil
      taken.append((number, value))
    }
    return taken
  }
}
