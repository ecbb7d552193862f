internal import RoostRecords

/// Swift's arithmetic. It throws an error where Swift would trap.
enum Numbers {
  static func compute(_ term: Term, _ values: [Value], interpreter: Interpreter) throws(ConditionFault) -> Value {
    func wrongNumber() -> ConditionFault { interpreter.fault(.overflow, "the result does not fit", term: term) }
    guard case .plain(let type) = term.kind else { return .null }
    if case .negate = term.expression {
      switch values[0] {
      case .int(let number):
        guard let result = fit(number == .min ? nil : -number, type) else { throw wrongNumber() }
        return .int(result)
      case .float(let number): return .float(-number)
      case .double(let number): return .double(-number)
      default: return .null
      }
    }
    guard case .arithmetic(let operation, _, _) = term.expression else { return .null }
    switch (values[0], values[1]) {
    case (.int(let one), .int(let two)):
      if two == 0, operation == .divide || operation == .remainder {
        throw interpreter.fault(.dividedByZero, "it divides by zero", term: term)
      }
      // Swift divides for a remainder too, and -128 / -1 does not fit.
      let isDivisible = operation != .remainder || fit(integer(.divide, one, two: two), type) != nil
      guard isDivisible, let result = fit(integer(operation, one, two: two), type) else { throw wrongNumber() }
      return .int(result)
    case (.uint(let one), .uint(let two)):
      if two == 0, operation == .divide || operation == .remainder {
        throw interpreter.fault(.dividedByZero, "it divides by zero", term: term)
      }
      guard let result = fit(integer(operation, one, two: two), type) else { throw wrongNumber() }
      return .uint(result)
    case (.float(let one), .float(let two)): return .float(floating(operation, one, two: two))
    case (.double(let one), .double(let two)): return .double(floating(operation, one, two: two))
    default: return .null
    }
  }

  static func integer<Number: FixedWidthInteger>(
    _ operation: Expression.Arithmetic, _ one: Number, two: Number
  ) -> Number? {
    let (result, overflow) =
      switch operation {
      case .add: one.addingReportingOverflow(two)
      case .subtract: one.subtractingReportingOverflow(two)
      case .multiply: one.multipliedReportingOverflow(by: two)
      case .divide: one.dividedReportingOverflow(by: two)
      case .remainder: one.remainderReportingOverflow(dividingBy: two)
      }
    return overflow ? nil : result
  }

  static func floating<Number: BinaryFloatingPoint>(
    _ operation: Expression.Arithmetic, _ one: Number, two: Number
  ) -> Number {
    switch operation {
    case .add: one + two
    case .subtract: one - two
    case .multiply: one * two
    case .divide: one / two
    case .remainder: one.truncatingRemainder(dividingBy: two)
    }
  }

  /// The result, if the type of its operands can hold it.
  static func fit<Number: FixedWidthInteger>(_ number: Number?, _ type: FieldType) -> Number? {
    guard let number else { return nil }
    let fits =
      switch type {
      case .int8: Int8(exactly: number) != nil
      case .int16: Int16(exactly: number) != nil
      case .int32: Int32(exactly: number) != nil
      case .uint8: UInt8(exactly: number) != nil
      case .uint16: UInt16(exactly: number) != nil
      case .uint32: UInt32(exactly: number) != nil
      default: true
      }
    return fits ? number : nil
  }
}
