package import RoostRecords

/// A derived property as its class declares it.
package struct DerivedPlan: Hashable, Sendable {
  package var property: String
  package var kind: Derivation.Kind
  /// The relationship whose objects it is computed from; empty for `computed`.
  package var list: String
  /// Properties of these objects, or paths of parts after a point; empty if the kind needs none.
  package var value: String
  package var key: String
  /// The program's name for its computation; empty for other kinds.
  package var text: String

  package init(
    _ property: String, _ kind: Derivation.Kind, list: String = "", value: String = "", key: String = "",
    text: String = ""
  ) {
    (self.property, self.kind, self.list) = (property, kind, list)
    (self.value, self.key, self.text) = (value, key, text)
  }

  /// The definition as text, which distinguishes versions of a model.
  package var salt: String { "derived \(kind.word) \(list) \(value) \(key) \(text)" }
}

extension ModelPlan {
  /// Whether a property, or the path of a part of it, is derived.
  func isDerived(_ path: String) -> Bool {
    !derived.isEmpty && derived.contains { path == $0.property || path.hasPrefix($0.property + ".") }
  }

  /// Throws if objects of this model cannot be kept in a store of the program's own.
  package func checkDerivedOfBacking() throws {
    guard let one = derived.first(where: { $0.kind != .computed }) else { return }
    throw MigrationFault(
      type.name, one.property,
      detail:
        "it is derived from a relationship, which only Roost's own files and stores in memory keep up to date: compute it in your code, "
        + "or keep its model in a file")
  }
}
