internal import RoostRecords

/// A key of a backing store and the entity of its row, as a key of dictionaries.
package struct EntityKey: Hashable {
  /// The number of the home map.
  private let map: Int
  private let key: IdentifierKey

  package init(_ map: EntityMap, _ key: IdentifierKey) { self.init(home: map.home, key) }
  package init(home: Int, _ key: IdentifierKey) { (map, self.key) = (home, key) }

  package static func == (one: EntityKey, other: EntityKey) -> Bool {
    guard one.map == other.map else { return false }
    guard case .uuid(let number, let zone) = one.key, case .uuid(let otherNumber, let otherZone) = other.key else {
      return one.key == other.key
    }
    return number.low == otherNumber.low && number.high == otherNumber.high && zone == otherZone
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(key)
    // A UUID is unique without the entity.
    if case .uuid = key { return }
    hasher.combine(map)
  }

  /// Called by dictionaries. A UUID needs no `Hasher`, which is several times slower.
  package func _rawHashValue(seed: Int) -> Int {
    if case .uuid(let number, let zone) = key, zone.isEmpty { return number.hash(seed: seed) }
    var hasher = Hasher()
    hasher.combine(seed)
    hash(into: &hasher)
    return hasher.finalize()
  }
}

extension UUIDNumber {
  /// Prevents other programs from choosing keys that collide.
  private static let secret = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))

  /// A hash for dictionaries, by two multiplications.
  package func hash(seed: Int) -> Int {
    let secret = Self.secret
    let product = (high ^ secret.0 ^ UInt64(bitPattern: Int64(seed))).multipliedFullWidth(by: low ^ secret.1)
    let again = (product.high ^ product.low).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return Int(truncatingIfNeeded: again.high ^ again.low)
  }
}
