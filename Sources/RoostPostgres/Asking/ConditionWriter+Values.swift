#if Postgres
  internal import RoostQuery
  internal import RoostRecords

  /// Constants, and the choice between values.
  extension ConditionWriter {
    func constant(_ value: Value, _ kind: Kind) -> Written? {
      guard case .plain(let type) = kind.whole, let column = ColumnType(type) else { return nil }
      if value.isNull {
        var written = Written("NULL::\(column.rawValue)", isOptional: true)
        written.constant = .null
        return written
      }
      if case .bool(let flag) = value {
        var written = Written("\(flag)")
        written.constant = value
        return written
      }
      guard let parameter = Statement.Parameter(value, as: type) else { return nil }
      var written = Written(add(parameter))
      written.constant = value
      return written
    }

    func choice(_ parts: Operands) -> Written? {
      guard let test = condition(parts[0]), let one = value(parts[1]), let other = value(parts[2]) else { return nil }
      return Written(
        "(CASE WHEN \(test.text) THEN \(one.text) ELSE \(other.text) END)",
        isOptional: one.isOptional || other.isOptional, doubts: test.doubts + one.doubts + other.doubts)
    }

    func coalesced(_ one: Term, _ two: Term) -> Written? {
      guard let first = value(one), let second = value(two) else { return nil }
      if !first.isOptional { return first }
      return Written(
        "COALESCE(\(first.text), \(second.text))", isOptional: second.isOptional,
        doubts: first.doubts + second.doubts)
    }

    func unwrapped(_ term: Term) -> Written? {
      guard var written = value(term) else { return nil }
      if written.isOptional { written.doubts.append(Doubt(text: "(\(written.text) IS NULL)", isFault: true)) }
      written.isOptional = false
      return written
    }

    /// `if let`.
    func bound(_ variable: Int, _ parts: Operands) -> Written? {
      guard let test = thereIs(parts[0], variable), let one = value(parts[1]), let other = value(parts[2]) else {
        return nil
      }
      return Written(
        "(CASE WHEN \(test.text) THEN \(one.text) ELSE \(other.text) END)",
        isOptional: one.isOptional || other.isOptional, doubts: test.doubts + one.doubts + other.doubts)
    }
  }
#endif
