/// Arithmetic on a type that is known only at run time. Integer arithmetic is checked.
enum Checked {
  enum Operation { case add, subtract, multiply, divide, remainder }

  /// Computes with two numbers. Returns nil if the result does not fit. The caller does not divide
  /// by zero.
  final class Integers<Number> {
    let compute: (Number, Number) -> Number?

    init(_ compute: @escaping (Number, Number) -> Number?) { self.compute = compute }
  }

  /// Returns the operation for integers of a type; nil if the type is not a fixed-width integer.
  static func integers<Number>(_ operation: Operation, _ type: Number.Type) -> Integers<Number>? {
    guard let fixed = type as? any FixedWidthInteger.Type else { return nil }
    func open<Fixed: FixedWidthInteger>(_ fixed: Fixed.Type) -> AnyObject {
      Integers<Fixed> { one, other in
        let (result, isTooLarge) =
          switch operation {
          case .add: one.addingReportingOverflow(other)
          case .subtract: one.subtractingReportingOverflow(other)
          case .multiply: one.multipliedReportingOverflow(by: other)
          case .divide: one.dividedReportingOverflow(by: other)
          case .remainder: one.remainderReportingOverflow(dividingBy: other)
          }
        return isTooLarge ? nil : result
      }
    }
    // Both names are the same type.
    return unsafeDowncast(open(fixed), to: Integers<Number>.self)
  }
}
