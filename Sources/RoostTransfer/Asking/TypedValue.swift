package import RoostQuery
package import RoostRecords

/// A value of each row that a user types, such as `album.title`, `plays * 2` or
/// `title.lowercased()`.
package struct TypedValue: Sendable {
  /// The name of the value: its text, or the name in `double = plays * 2`.
  package let name: String
  package let expression: RoostQuery.Expression
  package let kind: Kind
  /// The type in which it is written. A reference is written as the key of its target.
  package let type: FieldType

  package init(_ text: String, of rows: RowClass, _ catalog: Catalog) throws {
    let (given, value) = QuestionParts.named(text)
    let parsed = try QuestionParser.parse(value)
    var typer = QuestionTyper(value, catalog, of: rows)
    let found = try typer.typed(parsed)
    do {
      var checker = Checker(catalog, rows.entity.id)
      _ = try checker.term(found.expression)
    } catch { throw QuestionFault(detail: "\(error)", place: parsed.place, text: value) }
    if case .rows(let target) = found.kind.whole, let target = catalog.name(of: target) {
      throw QuestionFault(
        detail: "this is a list of \(target): write \(value).count, or ask for the rows of \(target)",
        place: parsed.place, text: value)
    }
    guard let type = FieldType(found.kind.whole), type != .presence else {
      throw QuestionFault(
        detail: "this is a struct: name one of its parts", place: parsed.place, text: value)
    }
    (name, expression, kind, self.type) = (given ?? value, found.expression, found.kind, type)
  }
}

extension FieldType {
  /// The type of a field that could hold such values; nil for rows and structs.
  package init?(_ kind: Kind) {
    switch kind {
    case .plain(let type): self = type
    case .optional(let inner): self.init(inner)
    case .array(let element):
      guard let element = ElementType(element) else { return nil }
      self = .array(element)
    case .set(let element):
      guard let element = ElementType(element) else { return nil }
      self = .set(element)
    case .dictionary(let key, let value):
      guard let key = ElementType(key), let value = ElementType(value) else { return nil }
      self = .dictionary(key, value)
    case .structure, .rows: return nil
    }
  }
}

extension ElementType {
  fileprivate init?(_ kind: Kind) {
    switch kind {
    case .optional(let inner):
      guard let inner = ElementType(inner) else { return nil }
      self = .optional(inner)
    case .structure(let parts): self = .structure(parts)
    default:
      guard let type = FieldType(kind) else { return nil }
      self = .plain(type)
    }
  }
}
