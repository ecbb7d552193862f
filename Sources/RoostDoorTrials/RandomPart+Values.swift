internal import Foundation
internal import Roost

enum Operation: CaseIterable { case add, subtract, multiply, divide, remainder }

extension RandomPart where Value: FixedWidthInteger & Codable & Sendable {
  func computes(_ operation: Operation, _ other: RandomPart) -> RandomPart {
    func open(_ one: some Known<Value>, _ other: some Known<Value>) -> any Known<Value> {
      switch operation {
      case .add: Words.build_Arithmetic(lhs: one, rhs: other, op: .add)
      case .subtract: Words.build_Arithmetic(lhs: one, rhs: other, op: .subtract)
      case .multiply: Words.build_Arithmetic(lhs: one, rhs: other, op: .multiply)
      case .divide: Words.build_Division(lhs: one, rhs: other)
      case .remainder: Words.build_Remainder(lhs: one, rhs: other)
      }
    }
    return RandomPart(
      "(\(text) \(operation) \(other.text))", { open(self.build($0), other.build($0)) },
      value: {
        let (one, other) = (try self.value($0), try other.value($0))
        if other == 0, operation == .divide || operation == .remainder { throw NodeFault.dividedByZero }
        let (result, isTooLarge) =
          switch operation {
          case .add: one.addingReportingOverflow(other)
          case .subtract: one.subtractingReportingOverflow(other)
          case .multiply: one.multipliedReportingOverflow(by: other)
          case .divide: one.dividedReportingOverflow(by: other)
          case .remainder: one.remainderReportingOverflow(dividingBy: other)
          }
        if isTooLarge { throw NodeFault.overflow }
        return result
      })
  }
}

extension RandomPart where Value: FixedWidthInteger & SignedNumeric & Codable & Sendable {
  var negated: RandomPart {
    func open(_ inner: some Known<Value>) -> any Known<Value> { Words.build_UnaryMinus(inner) }
    return RandomPart(
      "-\(text)", { open(self.build($0)) },
      value: {
        let value = try self.value($0)
        if value == .min { throw NodeFault.overflow }
        return -value
      })
  }
}

extension RandomPart where Value == Double {
  func computes(_ operation: Operation, _ other: RandomPart) -> RandomPart {
    func open(_ one: some Known<Value>, _ other: some Known<Value>) -> any Known<Value> {
      switch operation {
      case .add: Words.build_Arithmetic(lhs: one, rhs: other, op: .add)
      case .subtract: Words.build_Arithmetic(lhs: one, rhs: other, op: .subtract)
      case .multiply: Words.build_Arithmetic(lhs: one, rhs: other, op: .multiply)
      case .divide, .remainder: Words.build_Division(lhs: one, rhs: other)
      }
    }
    return RandomPart(
      "(\(text) \(operation) \(other.text))", { open(self.build($0), other.build($0)) },
      value: {
        let (one, other) = (try self.value($0), try other.value($0))
        return switch operation {
        case .add: one + other
        case .subtract: one - other
        case .multiply: one * other
        case .divide, .remainder: one / other
        }
      })
  }

  var negated: RandomPart {
    func open(_ inner: some Known<Value>) -> any Known<Value> { Words.build_UnaryMinus(inner) }
    return RandomPart("-\(text)", { open(self.build($0)) }, value: { try -self.value($0) })
  }
}

enum TextTest: CaseIterable { case contains, starts, hasPrefix, hasSuffix, localizedStandardContains, caseless }

extension RandomPart where Value == String {
  func asks(_ test: TextTest, _ other: RandomPart) -> RandomPart<Bool> {
    func open(_ one: some Known<String>, _ other: some Known<String>) -> any Known<Bool> {
      switch test {
      case .contains: Words.build_contains(one, other)
      case .starts: Words.build_starts(one, with: other)
      case .hasPrefix: Words.build_hasPrefix(one, other)
      case .hasSuffix: Words.build_hasSuffix(one, other)
      case .localizedStandardContains: Words.build_localizedStandardContains(one, other)
      case .caseless:
        Words.build_Equal(
          lhs: Words.build_caseInsensitiveCompare(one, other), rhs: Words.build_Arg(ComparisonResult.orderedSame))
      }
    }
    return RandomPart<Bool>(
      "\(text).\(test)(\(other.text))", { open(self.build($0), other.build($0)) },
      value: {
        let (one, other) = (try self.value($0), try other.value($0))
        return switch test {
        // Foundation's own `contains` searches scalars; predicates search characters.
        case .contains: one.isEmpty ? other.isEmpty : Self.holds(Array(one), Array(other))
        case .starts: one.starts(with: other)
        case .hasPrefix: one.hasPrefix(other)
        case .hasSuffix: one.hasSuffix(other)
        // Roost's own expressions define these; only the ways to evaluate them are compared.
        case .localizedStandardContains:
          try Words.build_localizedStandardContains(Words.Value(one), Words.Value(other)).evaluate(PredicateBindings())
        case .caseless:
          try Words.build_caseInsensitiveCompare(Words.Value(one), Words.Value(other)).evaluate(PredicateBindings())
            == .orderedSame
        }
      })
  }

  private static func holds(_ text: [Character], _ other: [Character]) -> Bool {
    (0...text.count).contains { text[$0...].starts(with: other) }
  }

  func changed(isUpper: Bool) -> RandomPart {
    func open(_ inner: some Known<String>) -> any Known<String> {
      isUpper ? Words.build_uppercased(inner) : Words.build_lowercased(inner)
    }
    return RandomPart(
      "\(text).\(isUpper ? "upper" : "lower")cased()", { open(self.build($0)) },
      value: { isUpper ? try self.value($0).uppercased() : try self.value($0).lowercased() })
  }
}
