internal import Foundation

/// A part of a predicate, ready to be computed in memory.
class AnyStep {
  fileprivate init() {}
}

/// The same, of one type of values.
final class Step<Output>: AnyStep {
  let run: (PredicateBindings) throws -> Output

  init(_ run: @escaping (PredicateBindings) throws -> Output) {
    self.run = run
    super.init()
  }
}
