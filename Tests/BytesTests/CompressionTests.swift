import RoostBytes
import RoostTestSupport
import Testing

private func compressed(_ bytes: [UInt8], room: Int? = nil) -> [UInt8]? {
  var target = [UInt8](repeating: 0xEE, count: room ?? Compression.bound(bytes.count))
  let count = bytes.withUnsafeBytes { source in
    target.withUnsafeMutableBytes { Compression.compress(source, into: $0) }
  }
  return count.map { Array(target[..<$0]) }
}

/// The block's content; nil if it is refused. Bytes around the target are checked.
private func decompressed(_ block: [UInt8], count: Int) -> [UInt8]? {
  let guardBytes = 64
  var target = [UInt8](repeating: 0xA5, count: count + 2 * guardBytes)
  let fits = block.withUnsafeBytes { source in
    target.withUnsafeMutableBytes { all in
      Compression.decompress(
        source, into: UnsafeMutableRawBufferPointer(rebasing: all[guardBytes..<guardBytes + count]))
    }
  }
  #expect(target[..<guardBytes].allSatisfy { $0 == 0xA5 }, "bytes before the target were touched")
  #expect(target[(guardBytes + count)...].allSatisfy { $0 == 0xA5 }, "bytes after the target were touched")
  return fits ? Array(target[guardBytes..<guardBytes + count]) : nil
}

/// Text of a few words, which compresses, with some noise in it.
private func text(_ count: Int, seed: UInt64) -> [UInt8] {
  var generator = SplitMix64(seed: seed)
  let words = ["roost ", "page ", "the ", "log ", "checkpoint "]
  var bytes: [UInt8] = []
  while bytes.count < count {
    bytes += generator.chance(1, in: 8) ? generator.bytes(5) : Array(generator.pick(words).utf8)
  }
  return Array(bytes[..<count])
}

@Suite struct CompressionTests {
  @Test(arguments: [1, 2, 12, 13, 64, 255, 4096, 70_000, 1 << 20])
  func `a block is unpacked to the same bytes`(count: Int) throws {
    var generator = SplitMix64(seed: UInt64(count))
    for bytes in [text(count, seed: UInt64(count)), generator.bytes(count), [UInt8](repeating: 7, count: count)] {
      let block = try #require(compressed(bytes))
      #expect(decompressed(block, count: count) == bytes)
    }
  }

  @Test func `text shrinks`() throws {
    #expect(try #require(compressed(text(4096, seed: 1))).count < 2800)
  }

  @Test func `noise fits into the bound`() throws {
    var generator = SplitMix64(seed: 2)
    for count in [1, 100, 254, 255, 256, 10_000] {
      #expect(try #require(compressed(generator.bytes(count))).count <= Compression.bound(count))
    }
  }

  @Test func `a block that does not fit is not compressed`() {
    var generator = SplitMix64(seed: 3)
    #expect(compressed(generator.bytes(4096), room: 4000) == nil)
    #expect(compressed([1, 2, 3], room: 0) == nil)
  }

  @Test func `empty and too large blocks are refused`() {
    #expect(compressed([], room: 64) == nil)
    #expect(compressed([UInt8](repeating: 0, count: Compression.largestBlock + 1)) == nil)
    #expect(decompressed([], count: 10) == nil)
    #expect(decompressed([0], count: 0) == nil)
    #expect(decompressed([0x10, 1], count: Compression.largestBlock + 1) == nil)
  }

  @Test func `a wrong size is refused`() throws {
    let bytes = text(4096, seed: 4)
    let block = try #require(compressed(bytes))
    for count in [1, 4095, 4097, 8192] { #expect(decompressed(block, count: count) == nil) }
  }

  @Test func `every truncation of a block is refused`() throws {
    let block = try #require(compressed(text(2000, seed: 5)))
    for count in 0..<block.count { #expect(decompressed(Array(block[..<count]), count: 2000) == nil) }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `garbage is refused or decoded within its bounds`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    for _ in 0..<500 {
      let garbage = generator.bytes(1 + generator.below(300))
      let count = 1 + generator.below(2000)
      let result = decompressed(garbage, count: count)
      #expect(result == nil || result?.count == count)
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `a damaged block is refused or decoded within its bounds`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let block = try #require(compressed(text(1000, seed: seed)))
    for _ in 0..<300 {
      var damaged = block
      damaged[generator.below(block.count)] ^= 1 << UInt8(generator.below(8))
      _ = decompressed(damaged, count: 1000)
    }
  }
}
