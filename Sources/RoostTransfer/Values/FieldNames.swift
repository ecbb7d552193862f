/// The names of an entity's fields in texts and errors.
package enum FieldNames {
  /// The field in which a row stores the class of its object.
  package static let kind = "@class"

  /// The paths of the structs around a field: "a" and "a.b" of "a.b.c".
  static func above(_ name: String) -> [String] {
    let parts = name.split(separator: ".")
    return (1..<max(1, parts.count)).map { parts[..<$0].joined(separator: ".") }
  }

  /// The end of an error about an unknown name: the most similar known one, then all.
  static func offer(_ name: String, _ known: [String]) -> String {
    let hint = Spelling.hint(name, among: known.filter { !$0.hasPrefix("@") })
    return hint.isEmpty ? "; it has \(list(known))" : "\(hint) It has \(list(known))"
  }

  /// The names for an error, in quotes, without those of the engine.
  static func list(_ names: [String]) -> String {
    let shown = names.filter { !$0.hasPrefix("@") }.prefix(20).map { "'\($0)'" }
    return shown.isEmpty ? "nothing" : shown.joined(separator: ", ")
  }
}
