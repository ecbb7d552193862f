/// Special numbers in place of a row's number.
enum RowNumber {
  /// Only the inverse knows the row.
  static let unknown = UInt64.max
  static let nothing = UInt64.max - 1

  /// Whether it is the number of a row.
  @inline(__always)
  static func leads(_ row: UInt64) -> Bool { row != 0 && row < nothing }
}
