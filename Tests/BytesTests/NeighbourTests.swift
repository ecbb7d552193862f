import RoostBytes
import RoostTestSupport
import Testing

/// The check from before finds a single flipped bit.
@Suite struct NeighbourTests {
  private func bits(_ bytes: [UInt8], _ check: UInt64) -> [Int] {
    bytes.withUnsafeBytes { Checksum.singleBits(in: $0, matching: check) }
  }

  private func check(_ bytes: [UInt8]) -> UInt64 { bytes.withUnsafeBytes { Checksum.of($0) } }

  @Test(arguments: [1, 7, 16, 17, 40, 63, 64, 65, 100, 4088, 4096, 5000])
  func `the flipped bit is found at any length`(count: Int) {
    var generator = SplitMix64(seed: UInt64(count))
    let healthy = generator.bytes(count)
    let wanted = check(healthy)
    var chosen = Set((0..<6).map { _ in generator.below(count * 8) })
    chosen.formUnion([0, count * 8 - 1])
    for bit in chosen {
      var damaged = healthy
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(bits(damaged, wanted) == [bit])
    }
  }

  @Test func `nothing is found if no bit flipped, or two did`() {
    var generator = SplitMix64(seed: 5)
    let healthy = generator.bytes(4096)
    #expect(bits(healthy, check(healthy)) == [])
    for _ in 0..<4 {
      var damaged = healthy
      let first = generator.below(4096 * 8)
      damaged[first / 8] ^= 1 << UInt8(first % 8)
      let second = (first + 1 + generator.below(4096 * 8 - 1)) % (4096 * 8)
      damaged[second / 8] ^= 1 << UInt8(second % 8)
      #expect(bits(damaged, check(healthy)) == [])
    }
    #expect(bits([], 1) == [])
  }
}
