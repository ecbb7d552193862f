import RoostBytes
import RoostTestSupport
import Testing

private func check(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 {
  bytes.withUnsafeBytes { Checksum.of($0, seed: seed) }
}

@Suite struct ChecksumTests {
  private static let page = (0..<4096).map { UInt8(truncatingIfNeeded: $0 * 7 + 3) }
  private static let seed: UInt64 = 0x0123_4567_89AB_CDEF

  /// Another program computed these from the drawing in the doc comment, so that neither can drift.
  @Test(
    arguments: [
      (0, 0x6A6B_8623_DCB6_1889, 0x8F1E_B74D_6458_C244),
      (16, 0xC393_154E_FA22_2EAD, 0x31DC_4715_9D2B_D556),
      (17, 0xB911_2DA6_BA02_8556, 0x6E2D_B844_0C72_AFCB),
      (63, 0x0524_3AEB_817C_4C02, 0x97BB_59BE_4AB6_7A8A),
      (64, 0x74AB_F899_5816_6D94, 0xCFCA_0140_9097_7531),
      (65, 0x0EC0_5142_4373_A3B8, 0x7A06_B16E_AB48_237E),
    ] as [(Int, UInt64, UInt64)])
  func `the check of a short run is that of the format`(count: Int, plain: UInt64, seeded: UInt64) {
    let bytes = (0..<count).map { UInt8($0) }
    #expect(check(bytes) == plain)
    #expect(check(bytes, seed: Self.seed) == seeded)
  }

  @Test func `the check of a page is that of the format`() {
    #expect(check(Self.page) == 0xBB6A_6309_074A_855F)
    #expect(check(Self.page, seed: Self.seed) == 0xC176_AE15_BAA6_B573)
    #expect(check([UInt8](repeating: 0, count: 4096)) == 0x875D_8127_65BD_B826)
  }

  @Test func `every flipped bit of a page changes its check`() {
    var page = Self.page
    let healthy = check(page)
    var survivors: [Int] = []
    for bit in 0..<page.count * 8 {
      page[bit / 8] ^= 1 << UInt8(bit % 8)
      if check(page) == healthy { survivors.append(bit) }
      page[bit / 8] ^= 1 << UInt8(bit % 8)
    }
    #expect(survivors.isEmpty)
    #expect(check(page) == healthy)
  }

  @Test func `no two single flips of a zero page give the same check`() {
    var page = [UInt8](repeating: 0, count: 4096)
    var checks: Set<UInt64> = [check(page)]
    for bit in 0..<page.count * 8 {
      page[bit / 8] ^= 1 << UInt8(bit % 8)
      checks.insert(check(page))
      page[bit / 8] ^= 1 << UInt8(bit % 8)
    }
    #expect(checks.count == page.count * 8 + 1)
  }

  @Test func `a flipped bit changes about half of the check`() {
    var generator = SplitMix64(seed: 11)
    var changed = 0
    for _ in 0..<1000 {
      var bytes = generator.bytes(4096)
      let before = check(bytes)
      bytes[generator.below(4096)] ^= 1 << UInt8(generator.below(8))
      changed += (before ^ check(bytes)).nonzeroBitCount
    }
    #expect((31_000...33_000).contains(changed), "64,000 bits, of which \(changed) changed")
  }

  @Test func `swapped sectors change the check`() {
    var generator = SplitMix64(seed: 12)
    let page = generator.bytes(4096)
    let healthy = check(page)
    for one in 0..<8 {
      for other in one + 1..<8 {
        var swapped = page
        swapped.replaceSubrange(one * 512..<one * 512 + 512, with: page[other * 512..<other * 512 + 512])
        swapped.replaceSubrange(other * 512..<other * 512 + 512, with: page[one * 512..<one * 512 + 512])
        #expect(check(swapped) != healthy, "sectors \(one) and \(other)")
      }
    }
  }

  /// Before the fix, the lanes began with the key of their own first step. If the first word of a
  /// block equalled the seed, such as a page's number, one factor was 0, and the word beside it
  /// could have any value.
  @Test(arguments: [0, 1, 77, 4096, UInt64.max])
  func `a word equal to the seed does not hide the word beside it`(seed: UInt64) {
    for block in 0..<8 {
      var bytes = [UInt8](repeating: 0, count: 128)
      bytes.withUnsafeMutableBytes { $0.baseAddress!.set64(block * 16, seed) }
      let healthy = check(bytes, seed: seed)
      for bit in 0..<64 {
        var other = bytes
        other[block * 16 + 8 + bit / 8] ^= 1 << UInt8(bit % 8)
        #expect(check(other, seed: seed) != healthy, "block \(block), bit \(bit)")
      }
    }
  }

  @Test(arguments: 0...80)
  func `every flipped bit of a short run of zeros changes its check`(count: Int) {
    let zeros = [UInt8](repeating: 0, count: count)
    var checks: Set<UInt64> = [check(zeros)]
    for bit in 0..<count * 8 {
      var bytes = zeros
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      checks.insert(check(bytes))
    }
    #expect(checks.count == count * 8 + 1)
  }

  @Test func `the seed changes the check`() {
    let checks = Set((0..<256).map { check(Self.page, seed: $0) })
    #expect(checks.count == 256)
  }

  @Test func `zeros at the end change the check`() {
    let checks = Set((0...256).map { check([1, 2, 3] + [UInt8](repeating: 0, count: $0)) })
    #expect(checks.count == 257)
  }

  @Test func `the check does not depend on the address of the bytes`() {
    for shift in 1..<16 {
      let shifted = [UInt8](repeating: 0xAA, count: shift) + Self.page
      let found = shifted.withUnsafeBytes { Checksum.of(UnsafeRawBufferPointer(rebasing: $0[shift...])) }
      #expect(found == check(Self.page))
    }
  }
}
