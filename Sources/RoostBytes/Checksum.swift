/// The 64-bit checksum of pages, log frames and extents.
///
/// Four lanes each fold a 16-byte block by one 64 × 64 → 128 bit multiplication, so that a page
/// costs 256 multiplications, in four independent sequences. It finds accidental errors, not
/// forgeries.
///
/// ## Layout
/// Words are little-endian. The lanes begin with the seed combined with K[5], K[7], K[1] and K[3], by `^`, `+`,
/// `^` and `+`. Block i (16 bytes: a, b) goes to lane i mod 4:
/// `lane = fold(lane ^ a ^ K[2·lane], b ^ K[2·lane + 1]) + a + lane`, where `fold(x, y)` is the exclusive or of the
/// two halves of x · y. A last partial block is filled with zeros; the length is mixed in at the end.
package enum Checksum {
  @usableFromInline package static let keys: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (
    0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0xD6E8_FEB8_6659_FD93,
    0xA076_1D64_78BD_642F, 0xE703_7ED1_A0B4_28DB, 0x8EBC_6AF0_9C88_C6E3, 0x5895_65A3_0B62_8D11
  )

  /// The checksum of `bytes`, seeded. Never 0, which means "unknown".
  package static func of(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
    let keys = Self.keys
    var one = start(0, seed: seed)
    var two = start(1, seed: seed)
    var three = start(2, seed: seed)
    var four = start(3, seed: seed)
    var rest = bytes.count
    guard var next = bytes.baseAddress else { return finish(one, two, three: three, four: four, count: 0) }
    while rest >= 64 {
      one = step(one, next, key: keys.0, other: keys.1)
      two = step(two, next + 16, key: keys.2, other: keys.3)
      three = step(three, next + 32, key: keys.4, other: keys.5)
      four = step(four, next + 48, key: keys.6, other: keys.7)
      next += 64
      rest -= 64
    }
    if rest > 0 {
      withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { tail in
        tail.initializeMemory(as: UInt8.self, repeating: 0)
        tail.copyMemory(from: UnsafeRawBufferPointer(start: next, count: rest))
        let start = UnsafeRawPointer(tail.baseAddress!)
        one = step(one, start, key: keys.0, other: keys.1)
        if rest > 16 { two = step(two, start + 16, key: keys.2, other: keys.3) }
        if rest > 32 { three = step(three, start + 32, key: keys.4, other: keys.5) }
        if rest > 48 { four = step(four, start + 48, key: keys.6, other: keys.7) }
      }
    }
    return finish(one, two, three: three, four: four, count: UInt64(bytes.count))
  }

  /// The first state of a lane, 0 to 3.
  @inline(__always)
  static func start(_ lane: Int, seed: UInt64) -> UInt64 {
    // Never a key of the lane's own step or finish: the two would cancel and a factor of 0 would hide its partner.
    switch lane {
    case 0: seed ^ keys.5
    case 1: seed &+ keys.7
    case 2: seed ^ keys.1
    default: seed &+ keys.3
    }
  }

  /// The two keys of a lane's steps.
  @inline(__always)
  static func stepKeys(_ lane: Int) -> (UInt64, UInt64) {
    switch lane {
    case 0: (keys.0, keys.1)
    case 1: (keys.2, keys.3)
    case 2: (keys.4, keys.5)
    default: (keys.6, keys.7)
    }
  }

  @inline(__always)
  private static func step(_ lane: UInt64, _ block: UnsafeRawPointer, key: UInt64, other: UInt64) -> UInt64 {
    let a = UInt64(littleEndian: block.loadUnaligned(as: UInt64.self))
    let b = UInt64(littleEndian: block.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    return step(lane, a, b: b, key: key, other: other)
  }

  @inline(__always)
  static func step(_ lane: UInt64, _ a: UInt64, b: UInt64, key: UInt64, other: UInt64) -> UInt64 {
    fold(lane ^ a ^ key, b ^ other) &+ a &+ lane
  }

  @inline(__always)
  private static func fold(_ x: UInt64, _ y: UInt64) -> UInt64 {
    let product = x.multipliedFullWidth(by: y)
    return product.high ^ product.low
  }

  static func finish(_ one: UInt64, _ two: UInt64, three: UInt64, four: UInt64, count: UInt64) -> UInt64 {
    var all = fold(one ^ keys.1, two ^ keys.3) ^ fold(three ^ keys.5, four ^ keys.7)
    all = fold(all ^ count ^ keys.0, keys.6 ^ (one &+ three))
    all ^= all >> 29
    all = all &* keys.2
    all ^= all >> 32
    return all == 0 ? 1 : all
  }
}
