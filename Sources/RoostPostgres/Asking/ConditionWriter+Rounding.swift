#if Postgres
  internal import RoostQuery
  internal import RoostRecords

  /// Comparisons with sums and averages of floating-point numbers.
  ///
  /// The server adds the numbers as `numeric`, so its sum differs from the program's in the last
  /// digits. A row is in doubt if the two sides are nearer to each other than these digits, or if one
  /// of the numbers is not finite.
  extension ConditionWriter {
    /// A number as `numeric`, which is NULL for nil and for a number that is not finite.
    private struct Rounded {
      var text: String
      /// More than the difference from the program's number; NULL only if the text is.
      var error: String
      var isOptional = false
      var doubts: [Doubt]
    }

    /// Whether a term contains a sum or an average of floating-point numbers.
    static func isRounded(_ term: Term) -> Bool {
      switch term.expression {
      case .aggregate(.sum, _, _, _), .aggregate(.average, _, _, _): term.operands[1].kind.whole.isFloating
      case .coalesce, .ifLet: term.operands.contains(where: isRounded)
      default: false
      }
    }

    /// An order of two floating-point numbers.
    func rounded(_ one: Term, _ sign: String, two: Term) -> Written? {
      guard let first = rounded(one), let second = rounded(two), !first.isOptional, !second.isOptional else {
        return nil
      }
      let isNear = "(abs(\(first.text) - \(second.text)) <= \(first.error) + \(second.error))"
      return Written(
        "(\(first.text) \(sign) \(second.text))",
        doubts: first.doubts + second.doubts + [Doubt(text: isNear, isFault: false)])
    }

    private func rounded(_ term: Term) -> Rounded? {
      let parts = term.operands
      switch term.expression {
      case .aggregate(let aggregation, let variable, _, _) where Self.isRounded(term):
        return aggregate(aggregation, variable, list: parts[0], value: parts[1])
      case .coalesce where Self.isRounded(term):
        guard let one = rounded(parts[0]), let other = rounded(parts[1]) else { return nil }
        return Rounded(
          text: "COALESCE(\(one.text), \(other.text))", error: "COALESCE(\(one.error), \(other.error))",
          isOptional: one.isOptional && other.isOptional, doubts: one.doubts + other.doubts)
      case .ifLet(let variable, _, _, _) where Self.isRounded(term):
        guard let test = thereIs(parts[0], variable), let one = rounded(parts[1]), let other = rounded(parts[2]) else {
          return nil
        }
        func choice(_ one: String, _ other: String) -> String {
          "(CASE WHEN \(test.text) THEN \(one) ELSE \(other) END)"
        }
        return Rounded(
          text: choice(one.text, other.text), error: choice(one.error, other.error),
          isOptional: one.isOptional || other.isOptional, doubts: test.doubts + one.doubts + other.doubts)
      default:
        guard term.kind.whole.isFloating, let written = value(term) else { return nil }
        let number = Self.numeric(written.text)
        return Rounded(
          text: number, error: "(abs(\(number)) * 1e-13)", isOptional: written.isOptional,
          doubts: written.doubts + [Doubt(text: Self.isInfinite(written.text), isFault: false)])
      }
    }

    private func aggregate(
      _ aggregation: RoostQuery.Expression.Aggregation, _ variable: Int, list: Term, value: Term
    ) -> Rounded? {
      guard let rows = rows(list), let each = each(variable, rows, body: value) else { return nil }
      let number = Self.numeric(each.text)
      let size = "sum(abs(\(number)))"
      var doubts = rows.doubts
      doubts += each.doubts.map { Doubt(text: rows.exists(tests: [$0.text]), isFault: $0.isFault) }
      doubts.append(Doubt(text: rows.exists(tests: [Self.isInfinite(each.text)]), isFault: false))
      // The program's sum may be infinite.
      doubts.append(Doubt(text: "(\(rows.selecting(size)) > 1e300)", isFault: false))
      if aggregation == .sum {
        return Rounded(
          text: rows.selecting("COALESCE(sum(\(number)), 0)"), error: rows.selecting("COALESCE(\(size) * 1e-13, 0)"),
          doubts: doubts)
      }
      return Rounded(
        text: rows.selecting("avg(\(number))"), error: rows.selecting("\(size) * 1e-13 / NULLIF(count(\(number)), 0)"),
        isOptional: true, doubts: doubts)
    }

    /// The first fifteen digits of a finite number.
    private static func numeric(_ text: String) -> String {
      "(CASE WHEN abs(\(text)) < 'Infinity' THEN (\(text))::float8::numeric END)"
    }

    private static func isInfinite(_ text: String) -> String { "(NOT abs(\(text)) < 'Infinity')" }
  }
#endif
