import RoostGraph
import RoostRecords
import Testing

/// Rules for single values, compared with plain functions.
@Suite struct ValueRuleTests {
  private func passes(_ kind: ValueRule.Kind, _ type: FieldType, _ value: Value) throws -> Bool {
    try CompiledRule(ValueRule(kind), for: type).fault(value) == nil
  }

  /// Numbers at limits, in the form that a field of each type has.
  private static let doubles: [Double] = [
    0, -0.0, 1, -1, 0.1, 0.5, 4.999999999999999, 5, 5.000000000000001, 9_007_199_254_740_992, 1e300, -1e300, .infinity,
    -.infinity, .nan, .leastNonzeroMagnitude,
  ]

  @Test func `numbers of one type are compared as Swift compares them`() throws {
    for lower in Self.doubles where !lower.isNaN {
      for value in Self.doubles {
        let range = ValueRule.Kind.range(lower: .double(lower), upper: nil, includesUpper: true)
        #expect(try passes(range, .double, .double(value)) == (value >= lower), "\(value) in \(lower)...")
        let below = ValueRule.Kind.range(lower: nil, upper: .double(lower), includesUpper: false)
        #expect(try passes(below, .double, .double(value)) == (value < lower), "\(value) in ..<\(lower)")
      }
    }
  }

  @Test func `integers and other numbers are compared exactly`() throws {
    let whole: [Int64] = [.min, .min + 1, -1, 0, 1, 9_007_199_254_740_992, 9_007_199_254_740_993, .max - 1, .max]
    for one in whole {
      for double in Self.doubles where !double.isNaN {
        let range = ValueRule.Kind.range(lower: .double(double), upper: nil, includesUpper: true)
        // An integer is at least a number if it is at least the next integer above that number.
        let isHigh = abs(double) < 1e20 ? Int128(one) >= Int128(double.rounded(.up)) : double < 0
        #expect(try passes(range, .int64, .int(one)) == isHigh, "\(one) in \(double)...")
      }
    }
    let huge = ValueRule.Kind.range(lower: .int(0), upper: .uint(.max), includesUpper: true)
    #expect(try passes(huge, .uint64, .uint(.max)) && passes(huge, .uint64, .uint(0)))
    #expect(try !passes(.range(lower: .uint(.max), upper: nil, includesUpper: true), .int64, .int(.max)))
  }

  @Test func `a literal bound of a Decimal or a Float is the number that it prints`() throws {
    let tenth = Value.decimal(DecimalNumber(mantissa: 1, exponent: -1))
    let upper = ValueRule.Kind.range(lower: .double(0.1), upper: .double(0.1), includesUpper: true)
    #expect(try passes(upper, .decimal, tenth) && passes(upper, .float, .float(0.1)))
    #expect(try !passes(upper, .decimal, .decimal(DecimalNumber(mantissa: 11, exponent: -2))))
    #expect(try !passes(upper, .decimal, .decimal(.nan)))
    let all = ValueRule.Kind.range(lower: .double(-.infinity), upper: .double(1e300), includesUpper: true)
    #expect(try passes(all, .decimal, .decimal(DecimalNumber(mantissa: .max, exponent: 127))))
    let small = ValueRule.Kind.range(lower: .double(1e-300), upper: nil, includesUpper: true)
    #expect(try passes(small, .decimal, tenth) && !passes(small, .decimal, .decimal(DecimalNumber(0))))
    #expect(try !passes(small, .decimal, .decimal(DecimalNumber(-1))))
  }

  @Test(arguments: ["", "a", "ab", "👨‍👩‍👧", "e\u{301}", "\r\n", " ", "\u{a0}", "abc\n"])
  func `texts`(text: String) throws {
    for length in 0...3 {
      #expect(try passes(.length(lower: length, upper: length), .string, .string(text)) == (text.count == length))
    }
    #expect(try passes(.notEmpty, .string, .string(text)) == text.contains { !$0.isWhitespace })
    #expect(try passes(.pattern("[a-c]+"), .string, .string(text)) == ["a", "ab"].contains(text))
    #expect(try passes(.pattern("a|ab"), .string, .string(text)) == ["a", "ab"].contains(text))
    #expect(try passes(.oneOf([.string("a"), .string("é")]), .string, .string(text)) == ["a", "é"].contains(text))
  }

  @Test func `nil fulfils every rule`() throws {
    for kind in [ValueRule.Kind.notEmpty, .pattern("x"), .length(lower: 5, upper: nil), .oneOf([.string("a")])] {
      #expect(try passes(kind, .string, .null))
    }
  }

  @Test func `rules that do not fit name the types that they need`() throws {
    let wrong: [(ValueRule.Kind, FieldType, String)] = [
      (.range(lower: .int(1), upper: nil, includesUpper: true), .string, "for numbers and dates, and it is a String"),
      (.range(lower: .int(1), upper: nil, includesUpper: true), .date, "has an integer as a bound, and it is a Date"),
      (.range(lower: .double(.nan), upper: nil, includesUpper: true), .double, "as a bound"),
      (.length(lower: 3, upper: 1), .string, "has no length"),
      (.length(lower: -1, upper: nil), .string, "has no length"),
      (.length(lower: 1, upper: nil), .int64, "for texts, data and collections"),
      (.pattern("("), .string, "is not a regular expression"), (.pattern("a"), .data, "for texts"),
      (.notEmpty, .int64, "for texts"), (.oneOf([]), .int64, "list the values"),
      (.oneOf([.string("a")]), .int64, "lists a String, and it is an integer"), (.unknown("Pair"), .int64, "type Pair"),
    ]
    for (kind, type, words) in wrong {
      let error = #expect(throws: CompiledRule.Unfit.self) { try CompiledRule(ValueRule(kind), for: type) }
      #expect(error?.description.contains(words) == true, "\(error?.description ?? "") lacks \(words)")
    }
  }

  @Test func `values are shown briefly`() {
    let numbers: [(DecimalNumber, String)] = [
      (DecimalNumber(mantissa: 12345, exponent: -2), "123.45"), (DecimalNumber(mantissa: 5, exponent: -3), "0.005"),
      (DecimalNumber(mantissa: 7, exponent: 2, isNegative: true), "-700"), (DecimalNumber(0), "0"), (.nan, "NaN"),
      (DecimalNumber(mantissa: 1, exponent: 100), "1e100"),
    ]
    for (number, text) in numbers { #expect(Value.decimal(number).brief == text) }
    #expect(Value.string(String(repeating: "x", count: 1000)).brief.count == 63)
    #expect(Value.data(Array(repeating: 0, count: 1000)).brief == "1000 bytes")
    let range = ValueRule(.range(lower: .int(1), upper: .int(5), includesUpper: false))
    #expect(range.text == "range(1..<5)" && ValueRule(.length(lower: 2, upper: 2)).text == "length(2)")
  }
}
