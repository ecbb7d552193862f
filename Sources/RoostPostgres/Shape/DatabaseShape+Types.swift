#if Postgres
  internal import RoostGraph
  internal import RoostRecords

  /// Columns whose values have another type in the models.
  extension DatabaseShape {
    /// Changes the type of a column if no value is lost. Otherwise throws.
    mutating func changeType(_ number: Int, _ known: Int, at: Int, to column: Column, form: ValueForm) throws {
      let (name, field) = (stored.tables[known].name, column.field ?? "")
      let before = stored.tables[known].columns[at]
      guard let test = NumberRange.test(from: before.values, to: form.word, column: column.name.description) else {
        throw needsMigration(
          number, field,
          detail:
            "the database has values of the type \(before.values), and the model has \(form.word): keep the type, or give the new "
            + "property another name, and copy the values")
      }
      if !test.isEmpty {
        let count = try count(name, where: "NOT (\(test))")
        if count > 0 {
          throw needsMigration(
            number, field,
            detail:
              "the model has the type \(form.word), and \(rows(count)) \(count == 1 ? "has a value" : "have values") of the type "
              + "\(before.values) that it cannot store: change these values, or keep the type")
        }
      }
      if before.type != column.type.rawValue {
        add(
          "ALTER TABLE \(full(name)) ALTER COLUMN \(column.name) TYPE \(column.type.rawValue) "
            + "USING \(column.name)::\(column.type.rawValue)")
      }
      stored.tables[known].columns[at].type = column.type.rawValue
      stored.tables[known].columns[at].values = form.word
    }
  }

  /// The range of a Swift number type.
  enum NumberRange {
    /// By type, its least and its greatest whole number, in SQL.
    private static let ranges: [(name: String, low: String, high: String)] = [
      ("int8", "-128", "127"), ("uint8", "0", "255"), ("int16", "-32768", "32767"), ("uint16", "0", "65535"),
      ("int32", "-2147483648", "2147483647"), ("uint32", "0", "4294967295"),
      ("int64", "-9223372036854775808", "9223372036854775807"), ("uint64", "0", "18446744073709551615"),
    ]

    /// The condition in SQL that a value of one type fits into another type. It is empty if every
    /// value fits, and nil if the change is not supported.
    static func test(from: String, to: String, column: String) -> String? {
      switch (from, to) {
      case ("float", "double"): return ""
      case ("double", "float"):
        // A conversion that overflows is an error, so the range is tested first.
        return "CASE WHEN \(column) IS NULL OR \(column) IN ('NaN', 'Infinity', '-Infinity') THEN true "
          + "WHEN abs(\(column)) > 3.4028234663852886e38 OR \(column) <> 0 AND abs(\(column)) < 1.2e-38 THEN false "
          + "ELSE \(column)::real::double precision = \(column) END"
      case (_, "decimal"): return ranges.contains { $0.name == from } ? "" : nil
      default: break
      }
      guard let new = ranges.first(where: { $0.name == to }) else { return nil }
      let within = "\(column) BETWEEN \(new.low)::numeric AND \(new.high)::numeric"
      if from == "decimal" {
        return "\(column) IS NULL OR \(column) <> 'NaN' AND \(within) AND \(column) = trunc(\(column))"
      }
      guard let old = ranges.first(where: { $0.name == from }), let wide = limits(new), let narrow = limits(old) else {
        return nil
      }
      if wide.contains(narrow.lowerBound), wide.contains(narrow.upperBound) { return "" }
      return "\(column) IS NULL OR \(within)"
    }

    private static func limits(_ range: (name: String, low: String, high: String)) -> ClosedRange<Int128>? {
      guard let low = Int128(range.low), let high = Int128(range.high) else { return nil }
      return low...high
    }
  }
#endif
