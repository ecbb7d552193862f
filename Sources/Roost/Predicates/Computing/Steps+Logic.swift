internal import Foundation
internal import RoostQuery

extension PredicateExpressions.Conjunction {
  func step(_ walker: Walker) throws -> AnyStep {
    let parts = try Operand(self).operands(of: .and).map { try walker.step(ofCondition: $0) }
    return Step<Bool> { bindings in try parts.allSatisfy { try $0.run(bindings) } }
  }
}

extension PredicateExpressions.Disjunction {
  func step(_ walker: Walker) throws -> AnyStep {
    let parts = try Operand(self).operands(of: .or).map { try walker.step(ofCondition: $0) }
    return Step<Bool> { bindings in try parts.contains { try $0.run(bindings) } }
  }
}

extension Walker {
  func step(ofCondition operand: Operand) throws -> Step<Bool> {
    func open<Whole: PredicateExpression>(_ whole: Whole) throws -> AnyStep { try step(of: whole) }
    // A condition's output is Bool.
    return unsafeDowncast(try open(operand.expression), to: Step<Bool>.self)
  }
}

extension PredicateExpressions.Negation {
  func step(_ walker: Walker) throws -> AnyStep {
    let wrapped = try walker.step(of: wrapped)
    return Step<Bool> { try !wrapped.run($0) }
  }
}

extension PredicateExpressions.Conditional {
  func step(_ walker: Walker) throws -> AnyStep {
    let test = try walker.step(of: test)
    let (one, other) = (try walker.step(of: trueBranch), try walker.step(of: falseBranch))
    return Step<Output> { try test.run($0) ? one.run($0) : other.run($0) }
  }
}

// MARK: Comparisons

extension PredicateExpressions.Equal {
  func step(_ walker: Walker) throws -> AnyStep {
    let (one, other) = (try walker.step(of: lhs), try walker.step(of: rhs))
    return Step<Bool> { try one.run($0) == other.run($0) }
  }
}

extension PredicateExpressions.NotEqual {
  func step(_ walker: Walker) throws -> AnyStep {
    let (one, other) = (try walker.step(of: lhs), try walker.step(of: rhs))
    return Step<Bool> { try one.run($0) != other.run($0) }
  }
}

extension PredicateExpressions.Comparison {
  func step(_ walker: Walker) throws -> AnyStep {
    let (one, other) = (try walker.step(of: lhs), try walker.step(of: rhs))
    // Foundation's <= and >= are true for a date that is NaN, which is in no order of the engine.
    let isDate = LHS.Output.self == Date.self
    switch op {
    case .lessThanOrEqual where isDate: return Step<Bool> { try DateOrder.isAtMost(one.run($0), other.run($0)) }
    case .greaterThanOrEqual where isDate: return Step<Bool> { try DateOrder.isAtMost(other.run($0), one.run($0)) }
    case .lessThan: return Step<Bool> { try one.run($0) < other.run($0) }
    case .lessThanOrEqual: return Step<Bool> { try one.run($0) <= other.run($0) }
    case .greaterThan: return Step<Bool> { try one.run($0) > other.run($0) }
    case .greaterThanOrEqual: return Step<Bool> { try one.run($0) >= other.run($0) }
    @unknown default: return Step<Bool> { try self.evaluate($0) }
    }
  }
}

extension PredicateExpressions.Range {
  func step(_ walker: Walker) throws -> AnyStep {
    let (low, high, blame) = (try walker.step(of: lower), try walker.step(of: upper), walker.blame(self))
    return Step<Swift.Range<LHS.Output>> {
      let (low, high) = (try low.run($0), try high.run($0))
      guard low <= high, !DateOrder.isUnordered(low), !DateOrder.isUnordered(high) else {
        throw blame.fault(.outOfBounds, "a range ends before it begins")
      }
      return low..<high
    }
  }
}

extension PredicateExpressions.ClosedRange {
  func step(_ walker: Walker) throws -> AnyStep {
    let (low, high, blame) = (try walker.step(of: lower), try walker.step(of: upper), walker.blame(self))
    return Step<Swift.ClosedRange<LHS.Output>> {
      let (low, high) = (try low.run($0), try high.run($0))
      guard low <= high, !DateOrder.isUnordered(low), !DateOrder.isUnordered(high) else {
        throw blame.fault(.outOfBounds, "a range ends before it begins")
      }
      return low...high
    }
  }
}

extension PredicateExpressions.RangeExpressionContains {
  func step(_ walker: Walker) throws -> AnyStep {
    let (range, element) = (try walker.step(of: range), try walker.step(of: element))
    return Step<Bool> {
      let (range, element) = (try range.run($0), try element.run($0))
      return range.contains(element) && !DateOrder.isUnordered(element)
    }
  }
}

/// Dates compared as the engine compares them: one that is NaN is in no order, and in no range.
private enum DateOrder {
  static func isUnordered<Value>(_ value: Value) -> Bool {
    Value.self == Date.self && (value as? Date)?.timeIntervalSinceReferenceDate.isNaN == true
  }

  static func isAtMost<Value: Comparable>(_ one: Value, _ other: Value) -> Bool { one < other || one == other }
}

// MARK: Optionals

extension PredicateExpressions.NilCoalesce {
  func step(_ walker: Walker) throws -> AnyStep {
    let (one, other) = (try walker.step(of: lhs), try walker.step(of: rhs))
    return Step<Output> { try one.run($0) ?? other.run($0) }
  }
}

extension PredicateExpressions.ForcedUnwrap {
  func step(_ walker: Walker) throws -> AnyStep {
    let (inner, blame) = (try walker.step(of: inner), walker.blame(self))
    return Step<Wrapped> {
      guard let found = try inner.run($0) else { throw blame.fault(.nilUnwrapped, "it is nil") }
      return found
    }
  }
}

extension PredicateExpressions.OptionalFlatMap {
  func step(_ walker: Walker) throws -> AnyStep {
    let (wrapped, variable) = (try walker.step(of: wrapped), variable)
    let transform = try walker.step(of: transform, binding: variable)
    if let transform = transform as AnyStep as? Step<Result> {
      return Step<Output> { bindings in
        try wrapped.run(bindings).map { try transform.run(bindings.binding(variable, to: $0)) }
      }
    }
    // The transformed value may be nil itself.
    guard let transform = transform as AnyStep as? Step<Result?> else { return Step<Output> { try self.evaluate($0) } }
    return Step<Output> { bindings in
      try wrapped.run(bindings).flatMap { try transform.run(bindings.binding(variable, to: $0)) }
    }
  }
}
