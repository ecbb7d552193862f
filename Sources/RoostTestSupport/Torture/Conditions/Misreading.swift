internal import RoostQuery
internal import RoostRecords

/// An error that a planner could make, made on purpose: it executes another condition than the
/// given one.
enum Misreading: String, CaseIterable, Sendable {
  /// `x < 5` also finds 5.
  case boundIncluded
  /// `!(x < 5)` becomes `x >= 5`, which is false for NaN.
  case negationTurned
  /// A text is treated as equal to all texts with the same first 512 bytes, as their keys are.
  case cutTextExact

  func misread(_ query: Query) -> Query {
    var other = query
    other.condition = query.condition.map(misread)
    return other
  }

  private func misread(_ expression: Expression) -> Expression {
    let expression = expression.with(expression.operands.map(misread))
    switch (self, expression) {
    case (.boundIncluded, .compare(.less, let one, let two)): return .compare(.lessOrEqual, one, two)
    case (.negationTurned, .not(.compare(.less, let one, let two))): return .compare(.greaterOrEqual, one, two)
    case (.cutTextExact, .compare(.equal, let one, .constant(.string(let text), _))) where text.utf8.count > 512:
      return .text(.hasPrefix, one, .constant(.string(String(decoding: text.utf8.prefix(512), as: UTF8.self)), .string))
    default: return expression
    }
  }
}
