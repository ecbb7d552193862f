/// Rows with integer keys and values of 150 bytes. The key determines the value.
///
/// Values are windows into one small block of noise. So making a value takes only an address and no
/// copy, and no engine waits for the generator.
struct IntegerRows: Sendable {
  static let keyLength = 8
  static let valueLength = 150

  private static let windows = 65_536

  private static let sharedNoise = ByteBlock(count: windows + valueLength) { bytes in
    var random = SplitMix64()
    for index in bytes.indices {
      bytes[index] = UInt8(truncatingIfNeeded: random.next() >> 32)
    }
  }

  let keys: Range<UInt64>
  private let noise = IntegerRows.sharedNoise

  init(_ keys: Range<UInt64>) {
    self.keys = keys
  }

  init(count: Int) {
    self.init(0..<UInt64(count))
  }

  var count: Int { keys.count }

  /// The 150 bytes of the value of `key`. Their address is valid until the program ends.
  @inline(__always)
  func value(of key: UInt64) -> UnsafeRawBufferPointer {
    noise.bytes(at: window(of: key), count: Self.valueLength)
  }

  /// The first eight bytes of the key's value.
  @inline(__always)
  func word(of key: UInt64) -> UInt64 {
    noise.word(at: window(of: key))
  }

  /// The expected digest of a scan of a store with exactly these rows.
  var digest: Digest {
    var digest = Digest()
    for key in keys {
      digest.add(
        keyWord: key, keyLength: Self.keyLength, valueWord: word(of: key), valueLength: Self.valueLength)
    }
    return digest
  }

  @inline(__always)
  private func window(of key: UInt64) -> Int {
    Int(truncatingIfNeeded: SplitMix64.mix(key)) & (Self.windows - 1)
  }
}

/// Keys to look up at random among integer rows, and the expected sum of the words.
struct IntegerProbes: Sendable {
  let keys: [UInt64]
  let expected: UInt64

  init(_ count: Int, among rows: IntegerRows, seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var keys: [UInt64] = []
    keys.reserveCapacity(count)
    var sum: UInt64 = 0
    for _ in 0..<count {
      let key = rows.keys.lowerBound + UInt64(random.next(below: rows.count))
      keys.append(key)
      sum &+= rows.word(of: key)
    }
    self.keys = keys
    expected = sum
  }
}
