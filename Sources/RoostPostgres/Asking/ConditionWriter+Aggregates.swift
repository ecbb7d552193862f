#if Postgres
  internal import RoostQuery
  internal import RoostRecords

  /// Sums, averages and bounds of related rows, as correlated subselects.
  ///
  /// | Aggregate | In SQL |
  /// |---|---|
  /// | the sum of whole numbers | `sum` of `numeric`; a sum that does not fit the Swift type is in doubt |
  /// | the average of whole numbers | the same exact sum, divided as `double precision` |
  /// | the least or greatest value | `min` and `max`; NaN only if there is no other value |
  ///
  /// Sums and averages of floating-point numbers are only written in comparisons by order: see
  /// `ConditionWriter+Rounding.swift`. UUIDs are left to the program, because the server has no `min`
  /// for them.
  extension ConditionWriter {
    func aggregate(
      _ aggregation: RoostQuery.Expression.Aggregation, _ variable: Int, list: Term, value: Term
    ) -> Written? {
      let kind = value.kind.whole
      guard case .plain(let type) = kind, let rows = rows(list) else { return nil }
      guard let each = each(variable, rows, body: value) else { return nil }
      var doubts = rows.doubts
      doubts += each.doubts.map { Doubt(text: rows.exists(tests: [$0.text]), isFault: $0.isFault) }
      switch aggregation {
      case .sum:
        guard kind.isInteger, let bounds = Self.bounds(type == .uint64 ? kind : .int) else { return nil }
        let sum = rows.selecting("COALESCE(sum((\(each.text))::numeric), 0)")
        let fault = Doubt(text: "(\(sum) NOT BETWEEN \(bounds.low) AND \(bounds.high))", isFault: true)
        return Written(sum, doubts: doubts + [fault])
      case .average:
        // A value in doubt may be too large for `double precision`.
        guard kind.isInteger, each.doubts.isEmpty else { return nil }
        let average = "sum((\(each.text))::numeric)::float8 / count(\(each.text))::float8"
        return Written(
          rows.selecting("CASE WHEN count(\(each.text)) > 0 THEN \(average) END"), isOptional: true, doubts: doubts)
      case .min, .max:
        guard let bound = bound(aggregation == .min ? "min" : "max", each, as: type) else { return nil }
        return Written(rows.selecting(bound), isOptional: true, doubts: doubts)
      }
    }

    /// The value of each row. It must depend on the row: in SQL, an aggregate of an outer row's values
    /// belongs to the outer statement.
    func each(_ variable: Int, _ rows: RowsText, body: Term) -> Written? {
      bindings[variable] = .row(RowText(rows.table, alias: rows.alias))
      return value(body).flatMap { $0.text.contains("\(rows.alias).") ? $0 : nil }
    }

    private func bound(_ function: String, _ each: Written, as type: FieldType) -> String? {
      switch type {
      case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64: return "\(function)(\(each.text))"
      case .float, .double, .date:
        // The server's NaN is the greatest value.
        if function == "min" { return "min(\(each.text))" }
        return "COALESCE(max(\(each.text)) FILTER (WHERE \(each.text) <> 'NaN'), max(\(each.text)))"
      case .string: return "\(function)(\(key(each, type)))"
      default: return nil
      }
    }
  }
#endif
