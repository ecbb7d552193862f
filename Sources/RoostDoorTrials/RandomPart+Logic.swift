internal import Foundation

extension RandomPart where Value == Bool {
  static func and(_ one: RandomPart, _ other: RandomPart) -> RandomPart {
    func open(_ one: some Known<Bool>, _ other: some Known<Bool>) -> any Known<Bool> {
      Words.build_Conjunction(lhs: one, rhs: other)
    }
    return RandomPart(
      "(\(one.text) && \(other.text))", { open(one.build($0), other.build($0)) },
      value: { try one.value($0) && other.value($0) })
  }

  static func or(_ one: RandomPart, _ other: RandomPart) -> RandomPart {
    func open(_ one: some Known<Bool>, _ other: some Known<Bool>) -> any Known<Bool> {
      Words.build_Disjunction(lhs: one, rhs: other)
    }
    return RandomPart(
      "(\(one.text) || \(other.text))", { open(one.build($0), other.build($0)) },
      value: { try one.value($0) || other.value($0) })
  }

  static func not(_ inner: RandomPart) -> RandomPart {
    func open(_ inner: some Known<Bool>) -> any Known<Bool> { Words.build_Negation(inner) }
    return RandomPart("!\(inner.text)", { open(inner.build($0)) }, value: { try !inner.value($0) })
  }
}

enum Sign: CaseIterable { case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual }

extension RandomPart where Value: Equatable {
  func equals(_ other: RandomPart, isNot: Bool = false) -> RandomPart<Bool> {
    func open(_ one: some Known<Value>, _ other: some Known<Value>) -> any Known<Bool> {
      isNot ? Words.build_NotEqual(lhs: one, rhs: other) : Words.build_Equal(lhs: one, rhs: other)
    }
    return RandomPart<Bool>(
      "(\(text) \(isNot ? "!=" : "==") \(other.text))", { open(self.build($0), other.build($0)) },
      value: { try (self.value($0) == other.value($0)) != isNot })
  }
}

extension RandomPart where Value: Comparable {
  func compares(_ sign: Sign, _ other: RandomPart) -> RandomPart<Bool> {
    let (word, test): (String, (Value, Value) -> Bool) =
      switch sign {
      case .equal: ("==", { $0 == $1 })
      case .notEqual: ("!=", { $0 != $1 })
      case .less: ("<", { $0 < $1 })
      case .lessOrEqual: ("<=", { $0 <= $1 })
      case .greater: (">", { $0 > $1 })
      case .greaterOrEqual: (">=", { $0 >= $1 })
      }
    func open(_ one: some Known<Value>, _ other: some Known<Value>) -> any Known<Bool> {
      switch sign {
      case .equal: Words.build_Equal(lhs: one, rhs: other)
      case .notEqual: Words.build_NotEqual(lhs: one, rhs: other)
      case .less: Words.build_Comparison(lhs: one, rhs: other, op: .lessThan)
      case .lessOrEqual: Words.build_Comparison(lhs: one, rhs: other, op: .lessThanOrEqual)
      case .greater: Words.build_Comparison(lhs: one, rhs: other, op: .greaterThan)
      case .greaterOrEqual: Words.build_Comparison(lhs: one, rhs: other, op: .greaterThanOrEqual)
      }
    }
    return RandomPart<Bool>(
      "(\(text) \(word) \(other.text))", { open(self.build($0), other.build($0)) },
      value: { try test(self.value($0), other.value($0)) })
  }

  /// Whether it is between two others.
  func isWithin(_ low: RandomPart, _ high: RandomPart, isClosed: Bool) -> RandomPart<Bool> {
    func open(
      _ value: some Known<Value>, low: some Known<Value>, high: some Known<Value>
    ) -> any Known<Bool> {
      isClosed
        ? Words.build_contains(Words.build_ClosedRange(lower: low, upper: high), value)
        : Words.build_contains(Words.build_Range(lower: low, upper: high), value)
    }
    return RandomPart<Bool>(
      "(\(low.text)\(isClosed ? "..." : "..<")\(high.text)).contains(\(text))",
      { open(self.build($0), low: low.build($0), high: high.build($0)) },
      value: {
        let (low, high) = (try low.value($0), try high.value($0))
        guard low <= high else { throw NodeFault.badRange }
        let value = try self.value($0)
        return low <= value && (isClosed ? value <= high : value < high)
      })
  }
}

extension RandomPart {
  static func choice(_ test: RandomPart<Bool>, _ one: RandomPart, other: RandomPart) -> RandomPart {
    func open(_ test: some Known<Bool>, _ one: some Known<Value>, other: some Known<Value>) -> any Known<Value> {
      Words.build_Conditional(test, one, other)
    }
    return RandomPart(
      "(\(test.text) ? \(one.text) : \(other.text))", { open(test.build($0), one.build($0), other: other.build($0)) },
      value: { try test.value($0) ? one.value($0) : other.value($0) })
  }

  // MARK: Optionals

  static func coalesce(_ one: RandomPart<Value?>, _ other: RandomPart) -> RandomPart {
    func open(_ one: some Known<Value?>, _ other: some Known<Value>) -> any Known<Value> {
      Words.build_NilCoalesce(lhs: one, rhs: other)
    }
    return RandomPart(
      "(\(one.text) ?? \(other.text))", { open(one.build($0), other.build($0)) },
      value: { try one.value($0) ?? other.value($0) })
  }

  static func unwrapped(_ inner: RandomPart<Value?>) -> RandomPart {
    func open(_ inner: some Known<Value?>) -> any Known<Value> { Words.build_ForcedUnwrap(inner) }
    return RandomPart(
      "\(inner.text)!", { open(inner.build($0)) },
      value: {
        guard let found = try inner.value($0) else { throw NodeFault.nilUnwrapped }
        return found
      })
  }

  /// Transforms it, if it is not nil.
  func then<Inner, Result>(_ number: Int, _ transform: RandomPart<Result>) -> RandomPart<Result?>
  where Value == Inner? {
    func open<Root: Known<Inner?>, Body: Known<Result>>(
      _ inner: Root, _ probe: Body, variables: Variables
    ) -> any Known<Result?> {
      let whole: Words.OptionalFlatMap<Root, Inner, Body, Result> = Words.build_flatMap(inner) { variable -> Body in
        variables.set(number, variable)
        return same(transform.build(variables))
      }
      return whole
    }
    return RandomPart<Result?>(
      "\(text).flatMap { $\(number) in \(transform.text) }",
      { variables in
        variables.set(number, Words.Variable<Inner>())
        return open(self.build(variables), transform.build(variables), variables: variables)
      }, value: { frame in try self.value(frame).map { try transform.value(frame.with(number, $0)) } })
  }

  /// Transforms it, if it is not nil. The result may be nil too.
  func thenMaybe<Inner, Result>(_ number: Int, _ transform: RandomPart<Result?>) -> RandomPart<Result?>
  where Value == Inner? {
    func open<Root: Known<Inner?>, Body: Known<Result?>>(
      _ inner: Root, _ probe: Body, variables: Variables
    ) -> any Known<Result?> {
      let whole: Words.OptionalFlatMap<Root, Inner, Body, Result> = Words.build_flatMap(inner) { variable -> Body in
        variables.set(number, variable)
        return same(transform.build(variables))
      }
      return whole
    }
    return RandomPart<Result?>(
      "\(text).flatMap { $\(number) in \(transform.text) }",
      { variables in
        variables.set(number, Words.Variable<Inner>())
        return open(self.build(variables), transform.build(variables), variables: variables)
      }, value: { frame in try self.value(frame).flatMap { try transform.value(frame.with(number, $0)) } })
  }
}

/// Casts an expression that is built twice: it has the same type each time.
func same<Body>(_ built: Any) -> Body {
  guard let body = built as? Body else { preconditionFailure("\(type(of: built)) was \(Body.self) before") }
  return body
}
