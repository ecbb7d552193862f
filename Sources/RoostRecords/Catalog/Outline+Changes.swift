/// Compares two outlines of the same entity.
extension Outline {
  /// One property or unique rule that differs between two outlines.
  package struct Change: Hashable, Sendable, CustomStringConvertible {
    package enum Kind: String, Sendable { case added, removed, renamed, changed }

    package var kind: Kind
    /// The name of the property. For a unique rule: "unique " and its properties.
    package var name: String
    /// The name in the other outline, if it differs.
    package var formerName: String?
    /// The type in words; nil for a unique rule, and in the outline that lacks the property.
    package var was: String?
    package var becomes: String?

    package var isRule: Bool { name.hasPrefix("unique ") }

    package var description: String {
      func typed(_ sign: String, _ type: String?) -> String { "\(sign) \(name)" + (type.map { ": " + $0 } ?? "") }
      let types = was == becomes ? "" : ": \(was ?? "") → \(becomes ?? "")"
      switch kind {
      case .added: return typed("+", becomes)
      case .removed: return typed("-", was)
      case .renamed: return "~ \(formerName ?? "") → \(name)" + types
      case .changed: return "~ \(name)" + types
      }
    }
  }

  /// The differences to another outline, sorted by name.
  ///
  /// - Parameter renamed: the names of properties in this outline, by their names in the other one.
  package func changes(from other: Outline, renamed: [String: String] = [:]) -> [Change] {
    let former = Dictionary(renamed.map { ($1, $0) }) { first, _ in first }
    return Set(properties.keys).union(other.properties.keys).sorted().compactMap { name in
      if let new = renamed[name], properties[new] != nil, properties[name] == nil { return nil }
      if let old = former[name], let here = properties[name], let there = other.properties[old] {
        return Change(kind: .renamed, name: name, formerName: old, was: there, becomes: here)
      }
      let (here, there) = (properties[name], other.properties[name])
      if here == there { return nil }
      var change = Change(kind: .changed, name: name, was: there, becomes: here)
      if there == nil { change.kind = .added }
      if here == nil { change.kind = .removed }
      if change.kind != .changed, change.isRule { (change.was, change.becomes) = (nil, nil) }
      return change
    }
  }

  /// The changes in words.
  package func differences(from other: Outline, renamed: [String: String] = [:]) -> [String] {
    changes(from: other, renamed: renamed).map(\.description)
  }
}
