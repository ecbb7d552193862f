#if Postgres
  internal import RoostQuery
  internal import RoostRecords

  /// `==` and `<` with Swift's results.
  ///
  /// | Values | In SQL |
  /// |---|---|
  /// | texts, addresses | `normalize(x, NFC) COLLATE "C"`: canonically equal texts are equal, and the order is that of their bytes |
  /// | floating-point numbers, dates | NaN equals itself in SQL and is the largest value, so it is excluded |
  /// | decimal numbers | NaN equals itself in both; Swift orders it before all others, SQL after them |
  /// | optionals | both nil are equal; no comparison is NULL |
  extension ConditionWriter {
    func comparing(_ comparison: RoostQuery.Expression.Comparison, _ one: Term, two: Term) -> Written? {
      if comparison != .equal, comparison != .notEqual, Self.isRounded(one) || Self.isRounded(two) {
        return rounded(one, comparison.sign, two: two)
      }
      switch comparison {
      case .equal: return equal(one, two)
      case .notEqual: return equal(one, two).map { Written("(NOT \($0.text))", doubts: $0.doubts) }
      case .less: return ordered(one, two) { self.less($0, $1, as: $2) }
      case .greater: return ordered(two, one) { self.less($0, $1, as: $2) }
      case .lessOrEqual: return ordered(one, two) { self.atMost($0, $1, as: $2) }
      case .greaterOrEqual: return ordered(two, one) { self.atMost($0, $1, as: $2) }
      }
    }

    private func equal(_ one: Term, _ two: Term) -> Written? {
      if two.constant?.isNull == true { return isNil(one) }
      if one.constant?.isNull == true { return isNil(two) }
      if one.kind.entity != nil { return sameRow(one, two) }
      if let value = two.constant, let found = isOfClass(one, value) { return found }
      if let value = one.constant, let found = isOfClass(two, value) { return found }
      guard case .plain(let type) = one.kind.whole, let first = value(one), let second = value(two) else { return nil }
      return Written(equal(first, second, as: type), doubts: first.doubts + second.doubts)
    }

    private func ordered(_ one: Term, _ two: Term, write: (Written, Written, FieldType) -> String) -> Written? {
      guard case .plain(let type) = one.kind, let first = value(one), let second = value(two),
        !first.isOptional, !second.isOptional
      else { return nil }
      return Written(write(first, second, type), doubts: first.doubts + second.doubts)
    }

    // MARK: Types

    /// The SQL that comparisons use for a value: texts are normalized.
    func key(_ written: Written, _ type: FieldType) -> String {
      guard type == .string || type == .url else { return written.text }
      // A constant is in normal form already.
      return written.constant == nil
        ? "normalize(\(written.text), NFC) COLLATE \"C\"" : "\(written.text) COLLATE \"C\""
    }

    /// A condition on the first characters of a text. It is true whenever the comparison is, so the
    /// planner can use the index. Empty unless one side is an indexed column and the other one a
    /// constant.
    private func indexed(_ one: Written, _ sign: String, two: Written, as type: FieldType) -> [String] {
      guard type == .string || type == .url else { return [] }
      if let key = one.indexed, two.constant != nil { return ["\(key) \(sign) \(IndexedText.prefix(two.text))"] }
      if let key = two.indexed, one.constant != nil { return ["\(IndexedText.prefix(one.text)) \(sign) \(key)"] }
      return []
    }

    private static func notANumber(_ type: FieldType) -> String? {
      switch type {
      case .float: "'NaN'::real"
      case .double, .date: "'NaN'::float8"
      default: nil
      }
    }

    /// Whether a value is a constant number other than NaN.
    private static func isNumber(_ written: Written) -> Bool {
      switch written.constant {
      case .float(let number)?: !number.isNaN
      case .double(let number)?, .date(let number)?: !number.isNaN
      case .decimal(let number)?: !number.isNaN
      default: false
      }
    }

    func equal(_ one: Written, _ two: Written, as type: FieldType) -> String {
      let (first, second) = (key(one, type), key(two, type))
      var tests = indexed(one, "=", two: two, as: type) + ["\(first) = \(second)"]
      // NaN is unequal to every number without this test.
      if let nan = Self.notANumber(type), !Self.isNumber(one), !Self.isNumber(two) {
        tests.append("\(first) <> \(nan)")
      }
      if one.isOptional, two.isOptional, tests.count == 1 { return "(\(first) IS NOT DISTINCT FROM \(second))" }
      if one.isOptional { tests.append("\(one.text) IS NOT NULL") }
      if two.isOptional { tests.append("\(two.text) IS NOT NULL") }
      if !one.isOptional || !two.isOptional { return "(\(tests.joined(separator: " AND ")))" }
      return "((\(one.text) IS NULL AND \(two.text) IS NULL) OR (\(tests.joined(separator: " AND "))))"
    }

    func less(_ one: Written, _ two: Written, as type: FieldType) -> String {
      let (first, second) = (key(one, type), key(two, type))
      if type == .decimal { return decimalLess(one, two) }
      let hint = indexed(one, "<=", two: two, as: type).map { "\($0) AND " }.joined()
      let isGuarded = Self.notANumber(type) != nil && !Self.isNumber(two)
      return "(\(hint)\(first) < \(second)\(isGuarded ? " AND \(second) <> \(Self.notANumber(type) ?? "")" : ""))"
    }

    func atMost(_ one: Written, _ two: Written, as type: FieldType) -> String {
      let (first, second) = (key(one, type), key(two, type))
      if type == .decimal { return "(NOT \(decimalLess(two, one)))" }
      let hint = indexed(one, "<=", two: two, as: type).map { "\($0) AND " }.joined()
      let isGuarded = Self.notANumber(type) != nil && !Self.isNumber(two)
      return "(\(hint)\(first) <= \(second)\(isGuarded ? " AND \(second) <> \(Self.notANumber(type) ?? "")" : ""))"
    }

    private func decimalLess(_ one: Written, _ two: Written) -> String {
      let nan = "'NaN'::numeric"
      let less = "\(one.text) < \(two.text)"
      let isFirst = Self.isNumber(one) ? "(\(less))" : "(\(one.text) = \(nan) OR \(less))"
      return Self.isNumber(two) ? isFirst : "(\(two.text) <> \(nan) AND \(isFirst))"
    }

    // MARK: Ranges

    func within(_ parts: Operands, isClosed: Bool) -> Written? {
      guard case .plain(let type) = parts[2].kind, let low = value(parts[0]), let high = value(parts[1]),
        let found = value(parts[2]), !low.isOptional, !high.isOptional, !found.isOptional
      else { return nil }
      let upper = isClosed ? atMost(found, high, as: type) : less(found, high, as: type)
      var written = Written(
        "(\(atMost(low, found, as: type)) AND \(upper))", doubts: low.doubts + high.doubts + found.doubts)
      var isSound = false
      if let low = parts[0].constant, let high = parts[1].constant {
        isSound = ValueOrder.holds(.lessOrEqual, low, other: high)
      }
      // A range that ends before it begins is an error.
      if !isSound {
        written.doubts.append(Doubt(text: "COALESCE(NOT \(atMost(low, high, as: type)), true)", isFault: true))
      }
      return written
    }

    // MARK: Rows

    private func sameRow(_ one: Term, _ two: Term) -> Written? {
      if let row = Self.rowConstant(two) { return isRow(one, row) }
      if let row = Self.rowConstant(one) { return isRow(two, row) }
      guard let first = row(one), let second = row(two) else { return nil }
      let sign = first.isOptional && second.isOptional ? "IS NOT DISTINCT FROM" : "="
      var tests = ["\(first.key) \(sign) \(second.key)"]
      if first.isOptional != second.isOptional {
        tests.append("\(first.isOptional ? first.key : second.key) IS NOT NULL")
      }
      return Written("(\(tests.joined(separator: " AND ")))", doubts: first.doubts + second.doubts)
    }

    private static func rowConstant(_ term: Term) -> RowID? {
      if case .reference(let row)? = term.constant { row } else { nil }
    }

    private func isRow(_ term: Term, _ row: RowID) -> Written? {
      isAmong(term, [.reference(row)])
    }
  }
#endif
