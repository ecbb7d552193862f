import RoostFile

/// The deleted documents among 4,096 with consecutive numbers.
///
/// ## Layout
/// Fewer than 256 documents: two bytes for each, ascending, little-endian. Otherwise 512 bytes with one bit for each.
enum TombstoneBlock {
  static let documents = 4096

  /// The bits of a block, in 64 words.
  static func decode(_ value: UnsafeRawBufferPointer) throws(StoreError) -> [UInt64] {
    var bits = [UInt64](repeating: 0, count: documents / 64)
    if value.count == documents / 8 {
      for word in bits.indices {
        bits[word] = UInt64(littleEndian: value.loadUnaligned(fromByteOffset: word * 8, as: UInt64.self))
      }
      return bits
    }
    guard value.count < documents / 8, value.count % 2 == 0 else { throw ByteSource.damage }
    for place in 0..<value.count / 2 {
      let document = Int(value[place * 2]) | Int(value[place * 2 + 1]) << 8
      guard document < documents else { throw ByteSource.damage }
      bits[document / 64] |= 1 << UInt64(document % 64)
    }
    return bits
  }

  static func encode(_ bits: some Collection<UInt64>, to sink: ByteSink) {
    if bits.reduce(0, { $0 + $1.nonzeroBitCount }) >= 256 {
      for word in bits { sink.appendFixed(word, width: 8) }
      return
    }
    for (place, word) in bits.enumerated() {
      var rest = word
      while rest != 0 {
        sink.appendFixed(UInt64(place * 64 + rest.trailingZeroBitCount), width: 2)
        rest &= rest - 1
      }
    }
  }
}
