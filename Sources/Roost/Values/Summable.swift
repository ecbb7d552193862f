public import Foundation
internal import RoostQuery

/// A number whose sum and average over models can be computed.
public protocol Summable: Comparable {
  /// The type of a sum.
  associatedtype Sum
  /// The type of an average.
  associatedtype Average

  func _add(to sum: inout _NumberSum)
  /// Converts a sum; nil if it does not fit.
  static func _sum(_ sum: _NumberSum) -> Sum?
  static func _average(_ sum: _NumberSum) -> Average
}

/// A sum to which numbers are added.
public struct _NumberSum {
  var count = 0
  var integers: Int128 = 0
  var floats = FloatSum()
  var decimals = Decimal(0)
  /// Whether one of the numbers was NaN.
  var hasNoNumber = false

  var average: Double { (integers == 0 ? floats.total : Double(integers)) / Double(count) }
}

extension Summable where Self: BinaryInteger, Sum: FixedWidthInteger, Average == Double {
  public func _add(to sum: inout _NumberSum) { sum.integers += Int128(self) }
  public static func _sum(_ sum: _NumberSum) -> Sum? { Sum(exactly: sum.integers) }
  public static func _average(_ sum: _NumberSum) -> Double { sum.average }
}

extension Summable where Self: BinaryFloatingPoint, Sum == Double, Average == Double {
  public func _add(to sum: inout _NumberSum) { sum.floats.add(Double(self)) }
  public static func _sum(_ sum: _NumberSum) -> Double? { sum.floats.total }
  public static func _average(_ sum: _NumberSum) -> Double { sum.average }
}

extension Int: Summable {
  public typealias Sum = Int
  public typealias Average = Double
}
extension Int8: Summable {
  public typealias Sum = Int
  public typealias Average = Double
}
extension Int16: Summable {
  public typealias Sum = Int
  public typealias Average = Double
}
extension Int32: Summable {
  public typealias Sum = Int
  public typealias Average = Double
}
extension Int64: Summable {
  public typealias Sum = Int64
  public typealias Average = Double
}
extension UInt: Summable {
  public typealias Sum = UInt
  public typealias Average = Double
}
extension UInt8: Summable {
  public typealias Sum = Int
  public typealias Average = Double
}
extension UInt16: Summable {
  public typealias Sum = Int
  public typealias Average = Double
}
extension UInt32: Summable {
  public typealias Sum = Int
  public typealias Average = Double
}
extension UInt64: Summable {
  public typealias Sum = UInt64
  public typealias Average = Double
}
extension Float: Summable {
  public typealias Sum = Double
  public typealias Average = Double
}
extension Double: Summable {
  public typealias Sum = Double
  public typealias Average = Double
}

extension Decimal: Summable {
  public typealias Sum = Decimal
  public typealias Average = Decimal

  public func _add(to sum: inout _NumberSum) {
    if isNaN { sum.hasNoNumber = true }
    sum.decimals += self
  }
  public static func _sum(_ sum: _NumberSum) -> Decimal? {
    // Foundation returns NaN for a sum that is too large.
    sum.decimals.isNaN && !sum.hasNoNumber ? nil : sum.decimals
  }
  public static func _average(_ sum: _NumberSum) -> Decimal { sum.decimals / Decimal(sum.count) }
}
