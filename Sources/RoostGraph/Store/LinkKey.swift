/// One list, or one reference, of one object.
struct LinkKey: Hashable {
  /// Of the entity's classes, the one that stands for all.
  var map: Int
  var row: UInt64
  var property: Int

  private var word: UInt64 { row ^ UInt64(truncatingIfNeeded: map &<< 48 ^ property &<< 40) }

  /// One word goes in, because that takes half as long as three.
  func hash(into hasher: inout Hasher) { hasher.combine(word) }

  /// What dictionaries ask. Rows' numbers are given by the store, so nobody can choose them to collide, and two multiplications do.
  func _rawHashValue(seed: Int) -> Int {
    let product = (word ^ UInt64(bitPattern: Int64(seed))).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    let again = (product.high ^ product.low).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
    return Int(truncatingIfNeeded: again.high ^ again.low)
  }
}
