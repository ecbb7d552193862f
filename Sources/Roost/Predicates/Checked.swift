/// Arithmetic whose type is known at run time alone: of integers it is checked.
enum Checked {
  enum Operation { case add, subtract, multiply, divide, remainder }

  /// Computes with two numbers; nil where the result does not fit. It is not asked to divide by zero.
  final class Integers<Number> {
    let compute: (Number, Number) -> Number?

    init(_ compute: @escaping (Number, Number) -> Number?) { self.compute = compute }
  }

  /// How integers of a type are computed with; nil if they are none that have a largest.
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
    // The two names stand for one type.
    return unsafeDowncast(open(fixed), to: Integers<Number>.self)
  }
}
