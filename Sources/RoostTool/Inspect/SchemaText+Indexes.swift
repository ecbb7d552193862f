import RoostGraph
import RoostRecords
import RoostTransfer

/// Indexes as `#Index` and `#Unique` declare them.
extension SchemaText {
  func declaration(_ macro: String, _ indexes: [Index], of entity: Entity) -> String {
    let areFormed = indexes.contains(where: isFormed)
    var arguments = indexes.map { index in
      "[" + index.parts.compactMap { part($0, entity, isFormed: areFormed) }.joined(separator: ", ") + "]"
    }
    if let index = indexes.first, isConditional(index, entity) {
      arguments.append("where: { \(Self.condition(index, entity)) }")
    }
    return "#\(macro)<\(entity.name)>(\(arguments.joined(separator: ", ")))"
  }

  /// Whether key paths alone do not describe the index.
  func isFormed(_ index: Index) -> Bool { index.parts.contains { $0.form != .value || $0.isDescending } }

  /// Whether a model declares a condition. In a family of classes the store adds conditions itself.
  func isConditional(_ index: Index, _ entity: Entity) -> Bool {
    if index.tests.isEmpty { return false }
    return entity.field(FieldNames.kind) == nil || index.isDefined(in: entity)
  }

  /// The key path of a field. An optional struct on the way needs a `?`.
  func path(_ id: FieldID, _ entity: Entity) -> String? {
    guard let name = entity.field(id)?.name else { return nil }
    var (text, path) = ("\\", "")
    for part in name.split(separator: ".", omittingEmptySubsequences: false) {
      text += (path.isEmpty || entity.field(path)?.type != .presence ? "." : "?.") + part
      path += (path.isEmpty ? "" : ".") + part
    }
    return text
  }

  private func part(_ part: Index.Part, _ entity: Entity, isFormed: Bool) -> String? {
    guard let path = path(part.field, entity) else { return nil }
    if !isFormed { return path }
    if part.form == .value { return ".\(part.isDescending ? "descending" : "ascending")(\(path))" }
    return ".\(part.form.word)(\(path))" + (part.isDescending ? ".descending" : "")
  }

  static func condition(_ index: Index, _ entity: Entity) -> String {
    index.tests.map { text($0, entity) }.joined(separator: " && ")
  }

  private static func text(_ test: Index.Test, _ entity: Entity) -> String {
    func name(_ id: FieldID) -> String { "$0." + SchemaClass.property(entity.field(id)?.name ?? "?") }
    func shown(_ value: Value) -> String { text(value) ?? "\(value)" }
    switch test {
    case .isNull(let id): return "\(name(id)) == nil"
    case .isNotNull(let id): return "\(name(id)) != nil"
    case .equals(let id, .bool(let flag)) where entity.field(id)?.isOptional == false:
      return (flag ? "" : "!") + name(id)
    case .equals(let id, let value): return "\(name(id)) == \(shown(value))"
    case .compares(let id, .notEqual, let value): return "\(name(id)) != \(shown(value))"
    case .compares(let id, let comparison, let value):
      // Optionals have no order. The test is false for nil.
      let mark = entity.field(id)?.isOptional == true ? "!" : ""
      return "\(name(id))\(mark) \(comparison.sign) \(shown(value))"
    case .any(let tests): return "(" + tests.map { text($0, entity) }.joined(separator: " || ") + ")"
    }
  }
}
