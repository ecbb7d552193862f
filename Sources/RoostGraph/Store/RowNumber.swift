/// Special numbers in place of a row's number.
enum RowNumber {
  /// Only the inverse knows the row.
  static let unknown = UInt64.max
  static let nothing = UInt64.max - 1
  /// The row of a deleted object that never had one.
  static let none = nothing / 2

  /// Whether it is the number of a row.
  @inline(__always)
  static func leads(_ row: UInt64) -> Bool { row != 0 && row < nothing }
}
