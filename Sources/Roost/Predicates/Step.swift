internal import Foundation

/// A part of a predicate, prepared for computing in memory.
class AnyStep {
  fileprivate init() {}
}

/// A step with a result type.
final class Step<Output>: AnyStep {
  let run: (PredicateBindings) throws -> Output

  init(_ run: @escaping (PredicateBindings) throws -> Output) {
    self.run = run
    super.init()
  }
}
