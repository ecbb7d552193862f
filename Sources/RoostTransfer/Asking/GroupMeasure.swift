package import RoostQuery
internal import RoostRecords

/// A value that is computed from all rows of a group, such as `sum(plays)`.
package struct GroupMeasure: Hashable, Sendable {
  package enum Way: String, CaseIterable, Sendable { case count, sum, average, min, max }

  package let way: Way
  /// The value of each row; nil to count rows.
  package let value: RoostQuery.Expression?
  /// The kind of the result.
  package let kind: Kind

  /// Nil if values of the kind cannot be measured in this way.
  init?(_ way: Way, _ value: RoostQuery.Expression?, of kind: Kind?) {
    (self.way, self.value) = (way, value)
    let whole = kind?.whole ?? .int
    switch way {
    case .count: self.kind = .int
    case .sum, .average:
      let isDecimal = whole == .plain(.decimal)
      guard isDecimal || whole.isInteger || whole.isFloating else { return nil }
      let sum: Kind = isDecimal ? whole : whole.isInteger && way == .sum ? .int : .double
      self.kind = way == .sum ? sum : sum.optional
    case .min, .max:
      guard whole.isSortable else { return nil }
      self.kind = whole.optional
    }
  }

  /// The engine's form of the measure.
  package var measure: Measure {
    switch way {
    case .count: Measure(.count, value)
    case .sum, .average: Measure(.sum, value)
    case .min: Measure(.least, value)
    case .max: Measure(.greatest, value)
    }
  }
}

/// The keys and measures that a question about groups may name.
///
/// Each becomes a parameter of the question's expressions: the keys come first, then the measures.
struct QuestionGrouping {
  let keys: [TypedValue]
  private(set) var measures: [GroupMeasure] = []
  /// The names that columns were given, with their values.
  var names: [String: QuestionTyper.Typed] = [:]

  init(_ keys: [TypedValue]) { self.keys = keys }

  func key(_ number: Int) -> QuestionTyper.Typed {
    QuestionTyper.Typed(expression: .parameter(number, keys[number].kind), kind: keys[number].kind)
  }

  /// The parameter of a measure. Adds the measure if it is new.
  mutating func parameter(_ measure: GroupMeasure) -> QuestionTyper.Typed {
    let number = measures.firstIndex(of: measure) ?? measures.count
    if number == measures.count { measures.append(measure) }
    return QuestionTyper.Typed(expression: .parameter(keys.count + number, measure.kind), kind: measure.kind)
  }
}
