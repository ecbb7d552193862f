internal import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// Captured values, as constants of the engine.
enum Constant {
  static func make(_ captured: TranslatedPart.Captured) throws -> Condition {
    // The most common types need no conformance check.
    if let plain = PlainType.of(captured.type) {
      return condition(plain.value(any: captured.constant), Kind(plain.element), captured: captured)
    }
    guard let type = captured.type as? any Codable.Type else { throw Untranslatable(captured.constant) }
    guard isComparedByValue(type) else { throw Untranslatable(captured.constant) }
    func open<Known: Codable>(_ type: Known.Type) throws -> Condition? {
      let coder = try CoderShelf.shared.coder(of: type)
      guard let known = captured.constant as? Known, let value = coder.value(known) else { return nil }
      return condition(value, Kind(coder.form.element), captured: captured)
    }
    guard let made = try open(type) else { throw Untranslatable(captured.constant) }
    return made
  }

  private static func condition(_ value: Value, _ kind: Kind, captured: TranslatedPart.Captured) -> Condition {
    captured.note(value)
    // A template depends on whether the value is nil; any other value may be replaced.
    if let leaf = captured.leaf, !value.isNull { return .parameter(leaf, kind) }
    return .constant(value, kind)
  }

  /// Returns the engine's nil, in the place of a value of a type.
  static func null(_ type: Any.Type) throws -> Condition {
    if let plain = PlainType.of(type) { return .constant(.null, Kind(plain.element).optional) }
    guard let codable = type as? any Codable.Type else { throw Untranslatable(type) }
    return .constant(.null, try Kind(CoderShelf.shared.coder(any: codable).form.element).optional)
  }

  static func null(of map: EntityMap) -> Condition {
    .constant(.null, .optional(.plain(.reference(map.entity.id))))
  }

  /// Whether two values of a type are equal exactly if their stored forms are. A struct, or an enum
  /// with associated values, may define its own equality.
  static func isComparedByValue(_ type: Any.Type) -> Bool {
    if PlainType.of(type) != nil { return true }
    guard let codable = type as? any Codable.Type else { return false }
    return (try? CoderShelf.shared.coder(any: codable))?.isComparedAsStored ?? false
  }

  /// Whether `<` of a type is the engine's order. An enum may have an order of its own.
  static func isSortedByValue(_ type: Any.Type) -> Bool {
    if let plain = PlainType.of(type) { return plain.isSorted }
    return type is any _Storable.Type && type is any Comparable.Type
  }

  // MARK: Rows

  /// Returns the row of a model or of an identifier.
  ///
  /// - Parameter unknown: numbers for rows that the working set does not have yet.
  static func row(
    _ captured: TranslatedPart.Captured, of map: EntityMap, _ graph: GraphContext, unknown: QuestionRows?
  ) throws -> Condition {
    let kind = Kind.plain(.reference(map.entity.id))
    // A template depends on whether the value is nil; any other row may be replaced.
    guard let value = FlatValue.of(captured.constant) else { return null(of: map) }
    if let leaf = captured.rowLeaf(of: map) { return .parameter(leaf, kind) }
    return .constant(try reference(value, map, graph: graph, unknown: unknown), kind)
  }

  static func rows(
    _ captured: TranslatedPart.Captured, of map: EntityMap, _ graph: GraphContext, unknown: QuestionRows?
  ) throws -> Condition {
    let kind = Kind.plain(.reference(map.entity.id))
    if let leaf = captured.rowLeaf(of: map) { return .parameter(leaf, .array(kind)) }
    guard let list = captured.value as? any Sequence else { throw Untranslatable(captured.value) }
    var hasNil = false
    let values = try elements(list).map { element -> Value in
      guard let element = FlatValue.of(element) else {
        hasNil = true
        return .null
      }
      return try reference(element, map, graph: graph, unknown: unknown)
    }
    return .constant(.array(values), .array(hasNil ? .optional(kind) : kind))
  }

  private static func elements(_ list: any Sequence) -> [Any] {
    func open<List: Sequence>(_ list: List) -> [Any] { list.map { $0 as Any } }
    return open(list)
  }

  /// Returns the row; for a model that is not in the store, a row that never exists.
  private static func reference(
    _ value: Any, _ map: EntityMap, graph: GraphContext, unknown: QuestionRows?
  ) throws -> Value {
    if let identifier = value as? PersistentIdentifier {
      return reference(identifier, map, graph: graph, unknown: unknown)
    }
    guard let model = value as? any _ModelObject else { throw Untranslatable(value) }
    let isKept = model.graphContext === graph && model.entityMap?.entity.id == map.entity.id
    return isKept ? .reference(RowID(model._$state.row)) : nowhere
  }

  private static let nowhere = Value.reference(RowID(0))

  static func reference(
    _ identifier: PersistentIdentifier, _ map: EntityMap, graph: GraphContext, unknown: QuestionRows? = nil
  ) -> Value {
    guard isKept(identifier, map, graph: graph) else { return nowhere }
    if let row = graph.store.row(of: identifier, map) { return .reference(RowID(row)) }
    return unknown?.row(of: identifier).map { .reference($0) } ?? nowhere
  }

  /// Whether an identifier names a row of the map's entity, for any class of that entity.
  private static func isKept(_ identifier: PersistentIdentifier, _ map: EntityMap, graph: GraphContext) -> Bool {
    identifier.entityName == map.type.name
      || map.family != nil && graph.store.map(named: identifier.entityName)?.entity.id == map.entity.id
  }
}
