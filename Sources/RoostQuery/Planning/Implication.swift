internal import RoostRecords

/// Whether a condition implies the tests of a partial index: then every row that fulfils the
/// condition has an entry.
///
/// A test is implied if it allows every value of its field that the condition allows. More complex
/// implications are not recognized; the index is not used then.
struct Implication {
  /// The parts of the condition that require exactly what the tests require.
  private(set) var answered = PartSet()

  /// nil if the condition does not imply each test.
  init?(_ index: Index, _ entity: Entity, conjunction: Conjunction) {
    for test in index.tests {
      let found = Self.same(test, conjunction) ?? Self.implied(test, entity, conjunction: conjunction)
      guard let implied = found else { return nil }
      answered.formUnion(implied)
    }
  }

  /// The part of the condition that equals the test. No key range expresses `!=`.
  private static func same(_ test: Index.Test, _ conjunction: Conjunction) -> PartSet? {
    guard case .compares(let id, .notEqual, let value) = test else { return nil }
    let number = conjunction.parts.indices.first { number in
      let part = conjunction.parts[number]
      guard case .compare(.notEqual, _, _) = part.expression else { return false }
      return [(0, 1), (1, 0)].contains { field, constant in
        part.operands[field].expression == .field(.row, id) && part.operands[constant].constant == value
      }
    }
    return number.map { PartSet($0) }
  }

  /// The parts of the condition that are equivalent to a test; nil if the test is not implied.
  private static func implied(_ test: Index.Test, _ entity: Entity, conjunction: Conjunction) -> PartSet? {
    for id in Set(test.fields).sorted() {
      guard let field = entity.field(id), let constraint = conjunction.constraint(on: id) else { continue }
      let admitted = test.alternatives.filter { $0.fields == [id] }.flatMap { stretches($0, field) }
      guard constraint.bounds.allSatisfy({ bound in admitted.contains { $0.contains(bound) } }) else { continue }
      // The condition and the test allow the same values, unless the test has alternatives about
      // other fields.
      let isSame =
        constraint.isExact && constraint.bounds == PartBound.merged(admitted)
        && test.alternatives.allSatisfy { $0.fields == [id] }
      return isSame ? constraint.conjuncts : PartSet()
    }
    return nil
  }

  /// The values that one test allows, as key ranges.
  private static func stretches(_ test: Index.Test, _ field: Field) -> [PartBound] {
    let key = KeyField(field)
    switch test {
    case .isNull: return field.isOptional ? [PartBound(null: key)] : []
    case .isNotNull: return [PartBound(notNull: key)]
    case .equals(_, let value):
      if value.isNull { return field.isOptional ? [PartBound(null: key)] : [] }
      return value.isNotANumber ? [] : PartBound(.equal, value, field: key).map { [$0] } ?? []
    case .compares(_, .notEqual, let value):
      // NaN is unequal to every constant but in none of these ranges, so the index is not used
      // then.
      let sides = value.isNotANumber ? [] : [.less, .greater].compactMap { PartBound($0, value, field: key) }
      return sides.isEmpty ? [] : sides + (field.isOptional ? [PartBound(null: key)] : [])
    case .compares(_, let comparison, let value):
      return value.isNotANumber ? [] : PartBound(comparison.asked, value, field: key).map { [$0] } ?? []
    case .any: return []
    }
  }
}

extension Index.Comparison {
  fileprivate var asked: Expression.Comparison {
    switch self {
    case .notEqual: .notEqual
    case .less: .less
    case .lessOrEqual: .lessOrEqual
    case .greater: .greater
    case .greaterOrEqual: .greaterOrEqual
    }
  }
}

extension PartBound {
  /// Whether the range contains each value of the other range.
  fileprivate func contains(_ other: PartBound) -> Bool {
    if other.low < low { return false }
    guard let high else { return true }
    return other.high.map { !(high < $0) } ?? false
  }
}
