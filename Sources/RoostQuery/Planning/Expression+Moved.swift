internal import RoostRecords

extension Expression {
  /// The expression on the row that the reference `field` refers to; nil if it needs other rows
  /// too.
  func moved(over field: FieldID) -> Expression? {
    switch self {
    case .field(.variable(0), let id): id == field ? .variable(0) : nil
    case .unwrap(.field(.variable(0), let id)): id == field ? .variable(0) : nil
    case .variable(0): nil
    case .constant, .parameter, .variable: self
    case .field(let base, let id): base.moved(over: field).map { .field($0, id) }
    case .unwrap(let inner): inner.moved(over: field).map { .unwrap($0) }
    case .compare(let comparison, let one, let two):
      pair(one, two, field: field).map { .compare(comparison, $0, $1) }
    case .coalesce(let one, let two): pair(one, two, field: field).map { .coalesce($0, $1) }
    case .contains(let one, let two): pair(one, two, field: field).map { .contains($0, $1) }
    case .text(let test, let one, let two): pair(one, two, field: field).map { .text(test, $0, $1) }
    case .search(let search, let one, let two): pair(one, two, field: field).map { .search(search, $0, $1) }
    case .and(let all): list(all, field).map { .and($0) }
    case .or(let all): list(all, field).map { .or($0) }
    case .not(let inner): inner.moved(over: field).map { .not($0) }
    case .within(let low, let high, let isClosed, let value):
      list([low, high, value], field).map { .within($0[0], $0[1], isClosed, $0[2]) }
    case .ifLet(let variable, let value, let one, let two):
      list([value, one, two], field).map { .ifLet(variable, $0[0], $0[1], $0[2]) }
    default: nil
    }
  }

  private func pair(_ one: Expression, _ two: Expression, field: FieldID) -> (Expression, Expression)? {
    guard let first = one.moved(over: field), let second = two.moved(over: field) else { return nil }
    return (first, second)
  }

  private func list(_ all: [Expression], _ field: FieldID) -> [Expression]? {
    var moved: [Expression] = []
    for one in all {
      guard let one = one.moved(over: field) else { return nil }
      moved.append(one)
    }
    return moved
  }

  /// Whether it can throw for no row.
  package var isFaultless: Bool {
    switch self {
    case .constant, .parameter, .variable: true
    // A variable may be bound to a row that does not exist.
    case .field(let base, _): base == .row
    case .unwrap, .arithmetic, .negate, .within, .element, .many: false
    default: operands.allSatisfy(\.isFaultless)
    }
  }
}
