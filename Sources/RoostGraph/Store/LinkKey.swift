/// A list or a reference of one object.
struct LinkKey: Hashable {
  /// The number of the home map.
  var map: Int
  var row: UInt64
  var property: Int

  private var word: UInt64 { row ^ UInt64(truncatingIfNeeded: map &<< 48 ^ property &<< 40) }

  /// Combines one word, which takes half as long as three.
  func hash(into hasher: inout Hasher) { hasher.combine(word) }

  /// Called by dictionaries. The store assigns row numbers, so an attacker cannot choose colliding
  /// ones, and two multiplications are enough.
  func _rawHashValue(seed: Int) -> Int {
    let product = (word ^ UInt64(bitPattern: Int64(seed))).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    let again = (product.high ^ product.low).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
    return Int(truncatingIfNeeded: again.high ^ again.low)
  }
}
