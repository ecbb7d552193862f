internal import Foundation
internal import RoostQuery

extension PredicateExpressions.Variable {
  func step(_ walker: Walker) throws -> AnyStep { Step<Output> { try self.evaluate($0) } }
}

extension PredicateExpressions.Value {
  func step(_ walker: Walker) throws -> AnyStep {
    let value = value
    return Step<Output> { _ in value }
  }
}

extension PredicateExpressions.NilLiteral {
  func step(_ walker: Walker) throws -> AnyStep { Step<Wrapped?> { _ in nil } }
}

extension PredicateExpressions.KeyPath {
  func step(_ walker: Walker) throws -> AnyStep {
    let root = try walker.step(of: root)
    let keyPath: Swift.KeyPath<Root.Output, Output> = keyPath
    return Step<Output> { try root.run($0)[keyPath: keyPath] }
  }
}

// MARK: Types

extension PredicateExpressions.TypeCheck {
  func step(_ walker: Walker) throws -> AnyStep {
    let input = try walker.step(of: input)
    return Step<Bool> { try input.run($0) is Desired }
  }
}

extension PredicateExpressions.ConditionalCast {
  func step(_ walker: Walker) throws -> AnyStep {
    let input = try walker.step(of: input)
    return Step<Desired?> { try input.run($0) as? Desired }
  }
}

extension PredicateExpressions.ForceCast {
  func step(_ walker: Walker) throws -> AnyStep {
    let (input, blame) = (try walker.step(of: input), walker.blame(self))
    return Step<Desired> {
      guard let found = try input.run($0) as? Desired else {
        throw blame.fault(.nilUnwrapped, "it is not of type \(Desired.self)")
      }
      return found
    }
  }
}
