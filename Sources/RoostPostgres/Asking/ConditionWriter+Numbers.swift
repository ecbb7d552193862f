#if Postgres
  internal import RoostQuery
  internal import RoostRecords

  /// Arithmetic. Whole numbers are computed as `numeric`, which never overflows. A row whose result
  /// does not fit the Swift type is in doubt.
  ///
  /// Floating-point arithmetic is not written in SQL: the server raises an error where Swift
  /// returns infinity.
  extension ConditionWriter {
    func arithmetic(_ operation: RoostQuery.Expression.Arithmetic, _ parts: Operands, kind: Kind) -> Written? {
      guard let bounds = Self.bounds(kind), let one = value(parts[0]), let two = value(parts[1]), !one.isOptional,
        !two.isOptional
      else { return nil }
      let (first, second) = ("(\(one.text))::numeric", "(\(two.text))::numeric")
      // The quotient must fit for a remainder too.
      let quotient = "div(\(first), NULLIF(\(second), 0))"
      let (text, checked) =
        switch operation {
        case .add, .subtract, .multiply:
          ("(\(first) \(operation.sign) \(second))", "(\(first) \(operation.sign) \(second))")
        case .divide: (quotient, quotient)
        case .remainder: ("mod(\(first), NULLIF(\(second), 0))", quotient)
        }
      // A division by zero is NULL. `COALESCE` counts it as an error too.
      let fault = "COALESCE(\(checked) NOT BETWEEN \(bounds.low) AND \(bounds.high), true)"
      return Written(text, doubts: one.doubts + two.doubts + [Doubt(text: fault, isFault: true)])
    }

    func negated(_ term: Term) -> Written? {
      guard let written = value(term), !written.isOptional else { return nil }
      if term.kind.isFloating { return Written("(- \(written.text))", doubts: written.doubts) }
      guard let bounds = Self.bounds(term.kind) else { return nil }
      let text = "(- (\(written.text))::numeric)"
      let fault = "COALESCE(\(text) NOT BETWEEN \(bounds.low) AND \(bounds.high), true)"
      return Written(text, doubts: written.doubts + [Doubt(text: fault, isFault: true)])
    }

    static func bounds(_ kind: Kind) -> (low: String, high: String)? {
      func of<Number: FixedWidthInteger>(_ type: Number.Type) -> (String, String) { ("\(Number.min)", "\(Number.max)") }
      guard case .plain(let type) = kind else { return nil }
      switch type {
      case .int8: return of(Int8.self)
      case .int16: return of(Int16.self)
      case .int32: return of(Int32.self)
      case .int64: return of(Int64.self)
      case .uint8: return of(UInt8.self)
      case .uint16: return of(UInt16.self)
      case .uint32: return of(UInt32.self)
      case .uint64: return of(UInt64.self)
      default: return nil
      }
    }
  }
#endif
