internal import RoostQuery
internal import RoostRecords

/// Parts of values: `date.utc.year`, `name.folded` and `labels.keys.contains("x")`.
extension QuestionTyper {
  /// `date.utc.year`; nil if the words are others.
  mutating func datePart(_ name: String, of base: Placed) throws(QuestionFault) -> Typed? {
    guard case .property(let inner, "utc", _) = base.written else { return nil }
    let date = try typed(inner)
    guard date.kind.whole == .date else { return nil }
    guard let part = DatePart(rawValue: name) else {
      let parts = DatePart.allCases.map(\.rawValue)
      throw fault("a date in UTC has no '\(name)'" + FieldNames.offer(name, parts), base)
    }
    return try present(date) { Typed(expression: .datePart(part, $0.expression), kind: .int) }
  }

  mutating func folded(_ base: Typed) throws(QuestionFault) -> Typed {
    try present(base) { Typed(expression: .changed(.folded, $0.expression), kind: .string) }
  }

  /// `labels.keys.contains("x")`; nil if the words are others.
  mutating func hasKey(_ base: Placed, _ argument: Written.Argument) throws(QuestionFault) -> Typed? {
    guard case .property(let inner, "keys", _) = base.written, !argument.isClosure else { return nil }
    let table = try typed(inner)
    guard case .dictionary(let key, let value) = table.kind.whole, !value.isOptional else { return nil }
    let wanted = try typed(argument.value, key).expression
    return try present(table) { table in
      Typed(
        expression: .compare(.notEqual, .lookup(table.expression, wanted), .constant(.null, value.optional)),
        kind: .bool)
    }
  }

  /// What is made of a value; nil if the value is nil.
  private mutating func present(_ base: Typed, _ body: (Typed) -> Typed) throws(QuestionFault) -> Typed {
    guard base.kind.isOptional else { return body(base) }
    return try bound(base) { (_, base) throws(QuestionFault) in body(base) }
  }
}
