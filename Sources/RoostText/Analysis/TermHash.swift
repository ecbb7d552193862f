/// The hash of a term's bytes, for tables in memory. It is never stored.
enum TermHash {
  @inline(__always)
  static func of(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int {
    let memory = UnsafeRawPointer(bytes)
    var hash = UInt64(truncatingIfNeeded: count) &* 0x9E37_79B9_7F4A_7C15
    var at = 0
    while at &+ 8 <= count {
      hash = mix(hash ^ memory.loadUnaligned(fromByteOffset: at, as: UInt64.self))
      at &+= 8
    }
    if at < count {
      var rest: UInt64 = 0
      if count >= 8 {
        rest = memory.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
      } else if count >= 4 {
        let low = memory.loadUnaligned(as: UInt32.self)
        let high = memory.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
        rest = UInt64(low) | UInt64(high) << 32
      } else {
        rest = UInt64(bytes[0]) | UInt64(bytes[count >> 1]) << 8 | UInt64(bytes[count &- 1]) << 16
      }
      hash = mix(hash ^ rest)
    }
    return Int(truncatingIfNeeded: hash >> 1)
  }

  /// The first eight bytes of a term, the first one lowest; 0 after the end of a shorter term. Eight bytes can be read.
  @inline(__always)
  static func word(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> UInt64 {
    let word = UInt64(littleEndian: UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self))
    return word & (UInt64.max >> UInt64(truncatingIfNeeded: 8 &* (8 &- min(count, 8))))
  }

  /// The hash of a term whose first eight bytes are known. It needs no loop for a term of up to 16 bytes.
  @inline(__always)
  static func of(_ word: UInt64, _ bytes: UnsafePointer<UInt8>, count: Int) -> UInt64 {
    let memory = UnsafeRawPointer(bytes)
    var hash = mix(word ^ UInt64(truncatingIfNeeded: count) &* 0x9E37_79B9_7F4A_7C15)
    if count > 8 { hash = mix(hash ^ memory.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)) }
    var at = 8
    while at &+ 8 < count {
      hash = mix(hash ^ memory.loadUnaligned(fromByteOffset: at, as: UInt64.self))
      at &+= 8
    }
    return hash
  }

  @inline(__always)
  private static func mix(_ word: UInt64) -> UInt64 {
    let product = word.multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
    return product.high ^ product.low
  }
}
