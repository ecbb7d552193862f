import RoostBytes
import RoostTestSupport
import Testing

@Suite struct WordsTests {
  private static let bytes: [UInt8] = [0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0x10, 0x32, 0x54, 0x76]

  @Test func `words are read with their low byte first`() {
    Self.bytes.withUnsafeBytes { buffer in
      let start = buffer.baseAddress!
      #expect(start.u8(7) == 0xEF)
      #expect(start.u16(0) == 0x2301)
      #expect(start.u32(0) == 0x6745_2301)
      #expect(start.u64(0) == 0xEFCD_AB89_6745_2301)
    }
  }

  @Test func `words are read at any offset`() {
    Self.bytes.withUnsafeBytes { buffer in
      let start = buffer.baseAddress!
      #expect(start.u16(1) == 0x4523)
      #expect(start.u32(3) == 0xCDAB_8967)
      #expect(start.u64(3) == 0x5432_10EF_CDAB_8967)
    }
  }

  @Test func `words are written with their low byte first and touch nothing else`() {
    var bytes = [UInt8](repeating: 0xEE, count: 24)
    bytes.withUnsafeMutableBytes { buffer in
      let start = buffer.baseAddress!
      start.set8(1, 0x01)
      start.set16(3, 0x0302)
      start.set32(6, 0x0706_0504)
      start.set64(11, 0x0F0E_0D0C_0B0A_0908)
    }
    #expect(bytes[..<11] == [0xEE, 1, 0xEE, 2, 3, 0xEE, 4, 5, 6, 7, 0xEE])
    #expect(bytes[11...] == [8, 9, 10, 11, 12, 13, 14, 15, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE])
  }

  @Test(arguments: 0..<16)
  func `a word is read back from any offset`(offset: Int) {
    var generator = SplitMix64(seed: UInt64(offset))
    var bytes = [UInt8](repeating: 0, count: 32)
    bytes.withUnsafeMutableBytes { buffer in
      let start = buffer.baseAddress!
      let word = generator.next()
      start.set64(offset, word)
      #expect(start.u64(offset) == word)
      start.set32(offset, UInt32(truncatingIfNeeded: word >> 7))
      #expect(start.u32(offset) == UInt32(truncatingIfNeeded: word >> 7))
      start.set16(offset, UInt16(truncatingIfNeeded: word >> 9))
      #expect(start.u16(offset) == UInt16(truncatingIfNeeded: word >> 9))
      start.set8(offset, UInt8(truncatingIfNeeded: word >> 11))
      #expect(start.u8(offset) == UInt8(truncatingIfNeeded: word >> 11))
    }
  }

  @Test func `a short copy copies the given number of bytes, and no other`() {
    let source = (0..<200).map { UInt8($0) }
    for count in 0...130 {
      for offset in 0..<9 {
        var target = [UInt8](repeating: 255, count: 200)
        source.withUnsafeBytes { source in
          target.withUnsafeMutableBytes { target in
            (target.baseAddress! + offset).copyShort(from: source.baseAddress! + 3, byteCount: count)
          }
        }
        let expected =
          [UInt8](repeating: 255, count: offset) + source[3..<3 + count]
          + [UInt8](repeating: 255, count: 200 - offset - count)
        #expect(target == expected)
      }
    }
  }
}
