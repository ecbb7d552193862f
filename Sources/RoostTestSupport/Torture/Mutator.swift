internal import RoostBytes

/// Slightly changed valid bytes, which a decoder must survive.
struct Mutator {
  var generator: SplitMix64

  mutating func mutate(_ bytes: inout [UInt8]) {
    guard !bytes.isEmpty else { return }
    for _ in 0...generator.below(4) {
      let at = generator.chance(1, in: 2) ? generator.below(min(64, bytes.count)) : generator.below(bytes.count)
      switch generator.below(6) {
      case 0: bytes[at] ^= 1 << UInt8(generator.below(8))
      case 1: bytes[at] = UInt8(truncatingIfNeeded: generator.next())
      case 2: bytes[at] = generator.pick([0, 1, 0x7F, 0x80, 0xFF])
      case 3:
        let count = min(generator.pick([2, 4, 8]), bytes.count - at)
        for index in 0..<count { bytes[at + index] = generator.pick([0, 0xFF]) }
      case 4:
        let from = generator.below(bytes.count)
        let count = min(generator.below(32), bytes.count - max(at, from))
        for index in 0..<count { bytes[at + index] = bytes[from + index] }
      default: bytes[at] = bytes[at] &+ 1
      }
    }
  }

  /// Changes the payload of a frame and corrects its checksum, so that replay reads it.
  mutating func reseal(_ log: inout [UInt8], _ segmentBytes: Int) {
    for start in stride(from: 4096, through: max(4096, log.count - segmentBytes), by: segmentBytes) {
      guard start + segmentBytes <= log.count else { return }
      var at = start + 96
      log.withUnsafeMutableBytes { buffer in
        let memory = buffer.baseAddress!
        let salt = memory.u64(start + 32)
        while at + 40 <= start + segmentBytes {
          let payload = Int(memory.u32(at))
          let padded = (payload + 7) & ~7
          guard payload > 0, at + 40 + padded <= start + segmentBytes else { return }
          let isChosen = generator.chance(1, in: 6)
          if isChosen { memory.set8(at + 40 + generator.below(payload), UInt8(generator.below(256))) }
          let head = Checksum.of(UnsafeRawBufferPointer(start: memory + at, count: 32), seed: salt)
          let check = Checksum.of(UnsafeRawBufferPointer(start: memory + at + 40, count: padded), seed: head)
          memory.set64(at + 32, check)
          // The next frame contains this one's checksum.
          if at + 80 + padded <= start + segmentBytes, memory.u32(at + 40 + padded) > 0 {
            memory.set64(at + 40 + padded + 24, check)
          }
          at += 40 + padded
        }
      }
    }
  }
}
