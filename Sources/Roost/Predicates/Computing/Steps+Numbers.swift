internal import Foundation
internal import RoostQuery

extension PredicateExpressions.Arithmetic {
  func step(_ walker: Walker) throws -> AnyStep {
    let (one, other, blame) = (try walker.step(of: lhs), try walker.step(of: rhs), walker.blame(self))
    let operation: Checked.Operation
    let plain: (Output, Output) -> Output
    switch op {
    case .add: (operation, plain) = (.add, { $0 + $1 })
    case .subtract: (operation, plain) = (.subtract, { $0 - $1 })
    case .multiply: (operation, plain) = (.multiply, { $0 * $1 })
    @unknown default: return Step<Output> { try self.evaluate($0) }
    }
    guard let integers = Checked.integers(operation, Output.self) else {
      return Step<Output> { try plain(one.run($0), other.run($0)) }
    }
    return Step<Output> {
      guard let result = try integers.compute(one.run($0), other.run($0)) else {
        throw blame.fault(.overflow, "the result does not fit")
      }
      return result
    }
  }
}

extension PredicateExpressions.IntDivision {
  func step(_ walker: Walker) throws -> AnyStep {
    try walker.division(.divide, lhs, other: rhs, whole: self) { $0 / $1 }
  }
}

extension PredicateExpressions.IntRemainder {
  func step(_ walker: Walker) throws -> AnyStep {
    try walker.division(.remainder, lhs, other: rhs, whole: self) { $0 % $1 }
  }
}

extension Walker {
  fileprivate func division<One: PredicateExpression, Other: PredicateExpression>(
    _ operation: Checked.Operation, _ one: One, other: Other, whole: some PredicateExpression,
    plain: @escaping (One.Output, One.Output) -> One.Output
  ) throws -> Step<One.Output> where One.Output: BinaryInteger, One.Output == Other.Output {
    let (one, other, blame) = (try step(of: one), try step(of: other), blame(whole))
    let integers = Checked.integers(operation, One.Output.self)
    return Step<One.Output> {
      let (first, second) = (try one.run($0), try other.run($0))
      if second == 0 { throw blame.fault(.dividedByZero, "it divides by zero") }
      guard let integers else { return plain(first, second) }
      guard let result = integers.compute(first, second) else {
        throw blame.fault(.overflow, "the result does not fit")
      }
      return result
    }
  }
}

extension PredicateExpressions.FloatDivision {
  func step(_ walker: Walker) throws -> AnyStep {
    let (one, other) = (try walker.step(of: lhs), try walker.step(of: rhs))
    return Step<Output> { try one.run($0) / other.run($0) }
  }
}

extension PredicateExpressions.UnaryMinus {
  func step(_ walker: Walker) throws -> AnyStep {
    let (wrapped, blame) = (try walker.step(of: wrapped), walker.blame(self))
    guard let integers = Checked.integers(.subtract, Output.self) else { return Step<Output> { try -wrapped.run($0) } }
    return Step<Output> {
      guard let result = try integers.compute(0, wrapped.run($0)) else {
        throw blame.fault(.overflow, "the result does not fit")
      }
      return result
    }
  }
}
