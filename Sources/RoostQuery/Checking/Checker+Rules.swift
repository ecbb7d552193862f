internal import RoostRecords
internal import _StringProcessing

/// The rules of each operation: the kinds that its operands must have, and the kind that it yields.
extension Checker {
  // MARK: Logic

  mutating func logic(_ expression: Expression) throws(ConditionFault) -> Term {
    switch expression {
    case .not(let inner):
      let inner = try term(inner)
      try demandBool(.one(inner), expression)
      return Term(expression, .bool, operands: .one(inner))
    case .and(let all), .or(let all):
      let parts = Operands.many(try terms(all))
      try demandBool(parts, expression)
      return Term(expression, .bool, operands: parts)
    case .compare(let comparison, let one, let two):
      let (one, two) = (try term(one), try term(two))
      let (first, second) = (one.kind, two.kind)
      switch comparison {
      case .equal, .notEqual:
        guard first.whole == second.whole, first.whole.isEquatable else {
          throw wrong(expression, "\(first) and \(second) cannot be compared")
        }
      default:
        guard first == second, first.isComparable else {
          throw wrong(expression, "\(first) and \(second) have no order")
        }
      }
      return Term(expression, .bool, operands: .two(one, two))
    case .conditional(let test, let one, let two):
      let parts = try [term(test), term(one), term(two)]
      try demandBool(.one(parts[0]), expression)
      return Term(expression, try either(parts[1].kind, parts[2].kind, expression: expression), operands: .many(parts))
    case .coalesce(let one, let two):
      let parts = try [term(one), term(two)]
      guard parts[0].kind.whole == parts[1].kind.whole else {
        throw wrong(expression, "\(parts[1].kind) cannot replace \(parts[0].kind)")
      }
      return Term(expression, parts[0].kind.isOptional ? parts[1].kind : parts[0].kind, operands: .many(parts))
    case .unwrap(let inner):
      let inner = try term(inner)
      return Term(expression, inner.kind.whole, operands: .one(inner))
    case .ifLet(let variable, let value, let one, let two):
      let value = try term(value)
      let first = try term(one, binding: variable, to: value.kind.whole)
      let second = try term(two)
      return Term(
        expression, try either(first.kind, second.kind, expression: expression),
        operands: .many([value, first, second]))
    case .within(let low, let high, _, let value):
      let parts = try [term(low), term(high), term(value)]
      guard parts[0].kind.isComparable, parts.allSatisfy({ $0.kind == parts[0].kind }) else {
        throw wrong(expression, "a range of \(parts[0].kind) cannot contain \(parts[2].kind)")
      }
      return Term(expression, .bool, operands: .many(parts))
    default: throw wrong(expression, "it is no logic")
    }
  }

  private func demandBool(_ terms: Operands, _ expression: Expression) throws(ConditionFault) {
    for term in terms where term.kind != .bool { throw wrong(expression, "\(term.kind) is not a Bool") }
  }

  /// The kind of both branches; one of them may be nil.
  private func either(_ one: Kind, _ two: Kind, expression: Expression) throws(ConditionFault) -> Kind {
    guard one.whole == two.whole else { throw wrong(expression, "one branch is \(one), the other \(two)") }
    return one.isOptional ? one : two
  }

  // MARK: Numbers

  mutating func number(_ expression: Expression) throws(ConditionFault) -> Term {
    let parts = try terms(expression.operands)
    let kind = parts[0].kind
    guard parts.allSatisfy({ $0.kind == kind }) else {
      throw wrong(expression, "\(kind) and \(parts[parts.count - 1].kind) cannot be joined")
    }
    switch expression {
    case .arithmetic(.remainder, _, _):
      guard kind.isInteger else { throw wrong(expression, "a remainder needs integers, this is \(kind)") }
    default:
      guard kind.isInteger || kind.isFloating, !isNegatedUnsigned(expression, kind) else {
        throw wrong(expression, "there is no arithmetic with \(kind)")
      }
    }
    return Term(expression, kind, operands: .many(parts))
  }

  private func isNegatedUnsigned(_ expression: Expression, _ kind: Kind) -> Bool {
    guard case .negate = expression, case .plain(let type) = kind else { return false }
    return [.uint8, .uint16, .uint32, .uint64].contains(type)
  }

  // MARK: Text

  mutating func text(_ expression: Expression) throws(ConditionFault) -> Term {
    let parts = try terms(expression.operands)
    for part in parts where part.kind != .string { throw wrong(expression, "\(part.kind) is not a String") }
    switch expression {
    case .textOrder: return Term(expression, .int, operands: .many(parts))
    case .changed: return Term(expression, .string, operands: .many(parts))
    case .matches(_, let pattern):
      do { _ = try TextPattern(pattern) } catch {
        throw ConditionFault(.badPattern, "\(error)", in: describer.text(expression))
      }
      return Term(expression, .bool, operands: .many(parts))
    default: return Term(expression, .bool, operands: .many(parts))
    }
  }

  mutating func datePart(_ expression: Expression) throws(ConditionFault) -> Term {
    let parts = try terms(expression.operands)
    guard parts[0].kind == .date else { throw wrong(expression, "\(parts[0].kind) is no Date") }
    return Term(expression, .int, operands: .many(parts))
  }

  // MARK: Collections

  mutating func collection(_ expression: Expression) throws(ConditionFault) -> Term {
    let collection = try term(expression.operands[0])
    let kind = collection.kind
    func element() throws(ConditionFault) -> Kind {
      guard let element = kind.element else { throw wrong(expression, "\(kind) is not a collection") }
      return element
    }
    func single() throws(ConditionFault) -> Kind {
      let element = try element()
      guard !element.isOptional else { throw wrong(expression, "it would be an optional of an optional") }
      return .optional(element)
    }
    switch expression {
    case .contains(_, let other):
      let other = try term(other)
      let element = try element()
      guard element.whole == other.kind.whole, element.whole.isEquatable else {
        throw wrong(expression, "\(kind) cannot contain \(other.kind)")
      }
      return Term(expression, .bool, operands: .two(collection, other))
    case .count, .isEmpty:
      if case .dictionary = kind {} else if kind != .string { _ = try element() }
      if case .isEmpty = expression { return Term(expression, .bool, operands: .one(collection)) }
      return Term(expression, .int, operands: .one(collection))
    case .first, .last:
      if case .set = kind { throw wrong(expression, "a set has no order") }
      return Term(expression, try single(), operands: .one(collection))
    case .minimum, .maximum:
      let single = try single()
      guard single.whole.isComparable else { throw wrong(expression, "\(kind) has no order") }
      return Term(expression, single, operands: .one(collection))
    case .element(_, let index):
      let index = try term(index)
      guard case .array(let element) = kind, index.kind == .int else {
        throw wrong(expression, "\(index.kind) is not an index of \(kind)")
      }
      return Term(expression, element, operands: .two(collection, index))
    case .lookup(_, let key):
      let key = try term(key)
      guard case .dictionary(let own, let value) = kind, key.kind == own, !value.isOptional else {
        throw wrong(expression, "\(key.kind) is not a key of \(kind)")
      }
      return Term(expression, .optional(value), operands: .two(collection, key))
    case .quantified(_, let variable, _, let test), .filter(let variable, _, let test):
      let test = try term(test, binding: variable, to: try element())
      guard test.kind == .bool else { throw wrong(expression, "\(test.kind) is not a Bool") }
      if case .filter = expression { return Term(expression, kind, operands: .two(collection, test)) }
      return Term(expression, .bool, operands: .two(collection, test))
    case .aggregate(let aggregation, let variable, _, let value):
      let value = try term(value, binding: variable, to: try element())
      guard let result = aggregation.kind(of: value.kind.whole) else {
        throw wrong(expression, "there is no \(aggregation) of \(value.kind)")
      }
      return Term(expression, result, operands: .two(collection, value))
    default: throw wrong(expression, "it is not a collection")
    }
  }
}

extension Expression.Aggregation {
  /// The kind of an aggregate's result for values of a kind; nil if the engine has no such
  /// aggregate. It does not add decimals.
  package func kind(of value: Kind) -> Kind? {
    let isNumber = value.isInteger || value.isFloating
    switch self {
    case .sum where isNumber: return value.isFloating ? .double : value == .plain(.uint64) ? value : .int
    case .average where isNumber: return .optional(.double)
    case .min where value.isComparable, .max where value.isComparable: return .optional(value)
    case .sum, .average, .min, .max: return nil
    }
  }
}

extension Kind {
  /// Whether values of this kind can be compared with `==`.
  var isEquatable: Bool {
    switch self {
    case .plain: true
    case .optional(let inner), .array(let inner), .set(let inner): inner.isEquatable
    case .dictionary(let key, let value): key.isEquatable && value.isEquatable
    case .structure(let parts): parts.allSatisfy { Kind($0.type).isEquatable }
    case .rows: false
    }
  }
}
