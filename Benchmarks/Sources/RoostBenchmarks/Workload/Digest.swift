/// The digest of an ordered scan, which detects a scan that skips, repeats, reorders or changes an
/// entry.
///
/// The fold depends on the order of the entries. It uses the first eight bytes and the lengths of
/// key and value: every entry is touched, and no engine pays for hashing all of it.
struct Digest: Equatable, Sendable {
  private(set) var count = 0
  private(set) var byteCount = 0
  private(set) var fold: UInt64 = 0

  /// Adds the next entry. A word is the first eight bytes in memory order, or the integer key
  /// itself.
  @inline(__always)
  mutating func add(keyWord: UInt64, keyLength: Int, valueWord: UInt64, valueLength: Int) {
    count += 1
    byteCount &+= keyLength &+ valueLength
    fold = fold &* 0xD134_2543_DE82_EF95 &+ (keyWord ^ (valueWord &<< 1 | valueWord &>> 63))
  }
}
