/// Rows in random order whose keys are UUID strings of 36 bytes and whose values are eight bytes.
///
/// ## Layout
/// Row `i` is at `36 * i`: `xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx`, lower case. Its value is
/// `SplitMix64.mix(i)`.
struct StringRows: Sendable {
  static let keyLength = 36
  static let valueLength = 8

  let count: Int
  private let keys: ByteBlock

  init(count: Int) {
    self.count = count
    keys = Self.keyBlock(count: count)
  }

  /// The keys in sequence.
  static func keyBlock(count: Int) -> ByteBlock {
    ByteBlock(count: count * keyLength) { bytes in
      var random = SplitMix64()
      for row in 0..<count {
        let place = row * keyLength
        write(
          random.next(), random.next(),
          into: UnsafeMutableRawBufferPointer(rebasing: bytes[place..<place + keyLength]))
      }
    }
  }

  @inline(__always)
  func key(_ row: Int) -> UnsafeRawBufferPointer {
    keys.bytes(at: row * Self.keyLength, count: Self.keyLength)
  }

  @inline(__always)
  func value(_ row: Int) -> UInt64 {
    SplitMix64.mix(UInt64(row))
  }

  /// The expected digest of a scan of a store with exactly these rows, which are sorted by their
  /// keys' bytes.
  var digest: Digest {
    var order = (0..<count).map { (prefix: UInt64(bigEndian: keys.word(at: $0 * Self.keyLength)), row: $0) }
    order.sort { left, right in
      if left.prefix != right.prefix { return left.prefix < right.prefix }
      return key(left.row).lexicographicallyPrecedes(key(right.row))
    }
    var digest = Digest()
    for (_, row) in order {
      digest.add(
        keyWord: keys.word(at: row * Self.keyLength), keyLength: Self.keyLength,
        valueWord: value(row), valueLength: Self.valueLength)
    }
    return digest
  }

  private static func write(_ high: UInt64, _ low: UInt64, into key: UnsafeMutableRawBufferPointer) {
    let digits: StaticString = "0123456789abcdef"
    let words = (high & ~0xF000 | 0x4000, low & (~0 >> 2) | (1 << 63))
    var digit = 0
    for place in key.indices {
      switch place {
      case 8, 13, 18, 23:
        key[place] = UInt8(ascii: "-")
      default:
        let word = digit < 16 ? words.0 : words.1
        key[place] = digits.utf8Start[Int(word >> (60 - UInt64(digit % 16) * 4) & 15)]
        digit += 1
      }
    }
  }
}

/// Keys to look up at random among string rows, and the expected sum of the values.
///
/// The keys are copied in the order of the look-ups, so that reading a key costs no cache miss.
struct StringProbes: Sendable {
  let count: Int
  let expected: UInt64
  private let keys: ByteBlock

  init(_ count: Int, among rows: StringRows, seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var sum: UInt64 = 0
    keys = ByteBlock(count: count * StringRows.keyLength) { bytes in
      for probe in 0..<count {
        let row = random.next(below: rows.count)
        let place = probe * StringRows.keyLength
        UnsafeMutableRawBufferPointer(rebasing: bytes[place..<place + StringRows.keyLength])
          .copyMemory(from: rows.key(row))
        sum &+= rows.value(row)
      }
    }
    self.count = count
    expected = sum
  }

  @inline(__always)
  func key(_ probe: Int) -> UnsafeRawBufferPointer {
    keys.bytes(at: probe * StringRows.keyLength, count: StringRows.keyLength)
  }
}
