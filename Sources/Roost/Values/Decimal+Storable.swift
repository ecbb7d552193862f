public import Foundation
public import RoostGraph

extension Decimal: _Storable {
  public static var _$form: _Form { ._decimal }
  public func _$put(into sink: inout _RowSink, at node: Int) { sink._store(_Eighteen(self), at: node) }
  public static func _$take(from source: inout _RowSource, at node: Int) -> Decimal? {
    source._load(node, as: _Eighteen.self).decimal
  }
  public func _$append(to bytes: inout _ByteSink) { bytes._append(_Eighteen(self)) }
  public static func _$read(from bytes: inout _ByteSource) -> Decimal? { bytes._take(_Eighteen.self)?.decimal }
  public static var _$any: Decimal { 0 }
}

/// The bytes of a decimal number in a row: exponent, flags (1 negative, 2 NaN), and eight words of
/// two bytes of the mantissa.
struct _Eighteen: BitwiseCopyable {
  typealias Mantissa = (UInt16, UInt16, UInt16, UInt16, UInt16, UInt16, UInt16, UInt16)

  private var exponent: Int8
  private var flags: UInt8
  private var mantissa: Mantissa

  /// The layout of Foundation's decimals in memory. Foundation has no public name for the digits.
  private struct Image {
    var exponent: Int8
    /// How many words of the mantissa are used, and whether it is negative.
    var flags: UInt8
    var reserved: UInt16 = 0
    var mantissa: Mantissa

    #if canImport(Darwin)
      static let lengthShift: UInt8 = 0
      static let negative: UInt8 = 16
    #else
      static let lengthShift: UInt8 = 4
      static let negative: UInt8 = 8
    #endif

    init(exponent: Int8, length: Int, isNegative: Bool, mantissa: Mantissa) {
      self.exponent = exponent
      flags = UInt8(length) << Self.lengthShift | (isNegative ? Self.negative : 0)
      self.mantissa = mantissa
    }

    var length: Int { Int(flags >> Self.lengthShift & 15) }
    var isNegative: Bool { flags & Self.negative != 0 }
  }

  init(_ decimal: Decimal) {
    if decimal.isNaN {
      exponent = 0
      flags = 2
      mantissa = (0, 0, 0, 0, 0, 0, 0, 0)
    } else {
      let image = unsafeBitCast(decimal, to: Image.self)
      exponent = image.exponent
      flags = image.isNegative ? 1 : 0
      mantissa = Self.words(image.mantissa, image.length)
    }
  }

  /// Returns the used words; the others may have any value.
  private static func words(_ mantissa: Mantissa, _ count: Int) -> Mantissa {
    var words = mantissa
    withUnsafeMutableBytes(of: &words) { memory in
      let used = min(2 * count, memory.count)
      for index in used..<memory.count { memory[index] = 0 }
    }
    return words
  }

  var decimal: Decimal {
    if flags & 2 != 0 { return .nan }
    let length = withUnsafeBytes(of: mantissa) { memory in
      ((memory.lastIndex { $0 != 0 } ?? -1) + 2) / 2
    }
    // Without digits, the sign bit would mean NaN.
    if length == 0 { return 0 }
    return unsafeBitCast(
      Image(exponent: exponent, length: length, isNegative: flags & 1 != 0, mantissa: mantissa), to: Decimal.self)
  }
}
