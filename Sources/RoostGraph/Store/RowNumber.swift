/// Numbers that stand where a row's number would.
enum RowNumber {
  /// The other side has to be asked.
  static let unknown = UInt64.max
  static let nothing = UInt64.max - 1

  /// Whether it is a row's.
  @inline(__always)
  static func leads(_ row: UInt64) -> Bool { row != 0 && row < nothing }
}
