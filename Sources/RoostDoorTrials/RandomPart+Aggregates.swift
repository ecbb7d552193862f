internal import Foundation
internal import Roost

/// Sums, averages and bounds of models, with the values of plain Swift.
///
/// The pool's floating-point numbers add up exactly in any order, so `+` gives their sum.
extension RandomPart where Value: Sequence {
  func total<Number: FixedWidthInteger & Summable>(_ number: Int, _ body: RandomPart<Number>) -> RandomPart<Number.Sum>
  where Number.Sum: FixedWidthInteger {
    sums(number, body) { try Self.sum($0) }
  }

  func total<Number: FixedWidthInteger & Summable>(_ number: Int, _ body: RandomPart<Number?>) -> RandomPart<Number.Sum>
  where Number.Sum: FixedWidthInteger {
    sums(number, body) { try Self.sum($0) }
  }

  func total(_ number: Int, _ body: RandomPart<Double>) -> RandomPart<Double> {
    sums(number, body) { $0.reduce(0, +) }
  }

  func total(_ number: Int, _ body: RandomPart<Double?>) -> RandomPart<Double> {
    sums(number, body) { $0.reduce(0, +) }
  }

  func total(_ number: Int, _ body: RandomPart<Decimal>) -> RandomPart<Decimal> {
    sums(number, body) { $0.reduce(0, +) }
  }

  func mean<Number: FixedWidthInteger & Summable>(_ number: Int, _ body: RandomPart<Number>) -> RandomPart<Double?>
  where Number.Average == Double {
    averages(number, body) { Double($0.reduce(Int128(0)) { $0 + Int128($1) }) / Double($0.count) }
  }

  func mean<Number: FixedWidthInteger & Summable>(_ number: Int, _ body: RandomPart<Number?>) -> RandomPart<Double?>
  where Number.Average == Double {
    averages(number, body) { Double($0.reduce(Int128(0)) { $0 + Int128($1) }) / Double($0.count) }
  }

  func mean(_ number: Int, _ body: RandomPart<Double>) -> RandomPart<Double?> {
    averages(number, body) { $0.reduce(0, +) / Double($0.count) }
  }

  func mean(_ number: Int, _ body: RandomPart<Double?>) -> RandomPart<Double?> {
    averages(number, body) { $0.reduce(0, +) / Double($0.count) }
  }

  private static func sum<Number: FixedWidthInteger & Summable>(_ numbers: [Number]) throws -> Number.Sum
  where Number.Sum: FixedWidthInteger {
    guard let sum = Number.Sum(exactly: numbers.reduce(Int128(0)) { $0 + Int128($1) }) else { throw NodeFault.overflow }
    return sum
  }

  // MARK: Expressions

  private func sums<Number: Summable>(
    _ number: Int, _ body: RandomPart<Number>, value: @escaping ([Number]) throws -> Number.Sum
  ) -> RandomPart<Number.Sum> {
    func open(_ list: some Known<Value>, _ probe: some Known<Number>, variables: Variables) -> any Known<Number.Sum> {
      func make<Body: Known<Number>>(_ probe: Body) -> any Known<Number.Sum> {
        Words.build_sum(list) { element -> Body in same(body.bound(number, to: element, variables)) }
      }
      return make(probe)
    }
    return folded("sum", number, body: body, open: { open($0, $1, variables: $2) }) { try value($0) }
  }

  private func sums<Number: Summable>(
    _ number: Int, _ body: RandomPart<Number?>, value: @escaping ([Number]) throws -> Number.Sum
  ) -> RandomPart<Number.Sum> {
    func open<List: Known<Value>>(_ list: List, _ probe: some Known<Number?>, variables: Variables) -> any Known<
      Number.Sum
    > {
      func make<Body: Known<Number?>>(_ probe: Body) -> any Known<Number.Sum> {
        let whole: Words.SequenceAggregate<List, Body, Number.Sum> = Words.build_sum(list) { element -> Body in
          same(body.bound(number, to: element, variables))
        }
        return whole
      }
      return make(probe)
    }
    return folded("sum", number, body: body, open: { open($0, $1, variables: $2) }) { try value($0.compactMap(\.self)) }
  }

  private func averages<Number: Summable>(
    _ number: Int, _ body: RandomPart<Number>, value: @escaping ([Number]) -> Number.Average
  ) -> RandomPart<Number.Average?> {
    func open(
      _ list: some Known<Value>, _ probe: some Known<Number>, variables: Variables
    ) -> any Known<Number.Average?> {
      func make<Body: Known<Number>>(_ probe: Body) -> any Known<Number.Average?> {
        Words.build_average(list) { element -> Body in same(body.bound(number, to: element, variables)) }
      }
      return make(probe)
    }
    return folded("average", number, body: body, open: { open($0, $1, variables: $2) }) { $0.isEmpty ? nil : value($0) }
  }

  private func averages<Number: Summable>(
    _ number: Int, _ body: RandomPart<Number?>, value: @escaping ([Number]) -> Number.Average
  ) -> RandomPart<Number.Average?> {
    func open<List: Known<Value>>(
      _ list: List, _ probe: some Known<Number?>, variables: Variables
    ) -> any Known<Number.Average?> {
      func make<Body: Known<Number?>>(_ probe: Body) -> any Known<Number.Average?> {
        let whole: Words.SequenceAggregate<List, Body, Number.Average?> = Words.build_average(list) { element -> Body in
          same(body.bound(number, to: element, variables))
        }
        return whole
      }
      return make(probe)
    }
    return folded("average", number, body: body, open: { open($0, $1, variables: $2) }) { numbers in
      let known = numbers.compactMap(\.self)
      return known.isEmpty ? nil : value(known)
    }
  }

  /// The least or the greatest value. Every value is better than NaN.
  func bound<Part: Comparable>(isLeast: Bool, _ number: Int, _ body: RandomPart<Part>) -> RandomPart<Part?> {
    func open(_ list: some Known<Value>, _ probe: some Known<Part>, variables: Variables) -> any Known<Part?> {
      func make<Body: Known<Part>>(_ probe: Body) -> any Known<Part?> {
        func value(_ element: Words.Variable<Value.Element>) -> Body {
          same(body.bound(number, to: element, variables))
        }
        return isLeast ? Words.build_min(list) { value($0) } : Words.build_max(list) { value($0) }
      }
      return make(probe)
    }
    return folded(isLeast ? "min" : "max", number, body: body, open: { open($0, $1, variables: $2) }) {
      Self.best($0, isLeast)
    }
  }

  func bound<Part: Comparable>(isLeast: Bool, _ number: Int, _ body: RandomPart<Part?>) -> RandomPart<Part?> {
    func open<List: Known<Value>>(_ list: List, _ probe: some Known<Part?>, variables: Variables) -> any Known<Part?> {
      func make<Body: Known<Part?>>(_ probe: Body) -> any Known<Part?> {
        func value(_ element: Words.Variable<Value.Element>) -> Body {
          same(body.bound(number, to: element, variables))
        }
        let least: Words.SequenceAggregate<List, Body, Part?> = Words.build_min(list) { value($0) }
        let most: Words.SequenceAggregate<List, Body, Part?> = Words.build_max(list) { value($0) }
        return isLeast ? least : most
      }
      return make(probe)
    }
    return folded(isLeast ? "min" : "max", number, body: body, open: { open($0, $1, variables: $2) }) {
      Self.best($0.compactMap(\.self), isLeast)
    }
  }

  private static func best<Part: Comparable>(_ values: [Part], _ isLeast: Bool) -> Part? {
    let known = values.filter { $0 == $0 }
    return (isLeast ? known.min() : known.max()) ?? values.first
  }

  /// A function over the values of all elements. `open` makes the expression from those of the
  /// sequence and of the body.
  private func folded<Part, Result>(
    _ name: String, _ number: Int, body: RandomPart<Part>,
    open: @escaping (any Known<Value>, any Known<Part>, Variables) -> any Known<Result>,
    value: @escaping ([Part]) throws -> Result
  ) -> RandomPart<Result> {
    RandomPart<Result>(
      "\(text).\(name) { $\(number) in \(body.text) }",
      { variables in
        let list = self.build(variables)
        return open(list, body.bound(number, to: Words.Variable<Value.Element>(), variables), variables)
      },
      value: { frame in
        try value(self.value(frame).map { try body.value(frame.with(number, $0)) })
      })
  }
}

extension RandomPart {
  /// The expression with a variable in it.
  fileprivate func bound<Element>(
    _ number: Int, to variable: Words.Variable<Element>, _ variables: Variables
  ) -> any Known<Value> {
    variables.set(number, variable)
    return build(variables)
  }
}
