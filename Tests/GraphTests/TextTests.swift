import RoostTestSupport
import Testing

@testable import RoostGraph

@Suite struct TextTests {
  /// Texts of letters of every width, some of whose bytes are replaced or cut off.
  @Test(arguments: 0..<8 as Range<UInt64>)
  func `bytes are read as the standard library reads them`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let letters: [Character] = ["a", "z", " ", "é", "ß", "€", "日", "😀", "\0", "\u{FFFD}"]
    var refused = 0
    for _ in 0..<2000 {
      let text = String((0..<Int(random.next() % 40)).map { _ in letters[Int(random.next() % 10)] })
      var bytes = Array(text.utf8)
      if random.next() % 2 == 0, !bytes.isEmpty {
        let at = Int(random.next() % UInt64(bytes.count))
        if random.next() % 2 == 0 { bytes[at] = UInt8(truncatingIfNeeded: random.next()) } else { bytes.remove(at: at) }
      }
      let expected = String(validating: bytes, as: UTF8.self)
      let found = bytes.withUnsafeBytes { String(exactly: $0) }
      #expect(found.map { Array($0.utf8) } == expected.map { Array($0.utf8) }, "seed \(seed): \(bytes)")
      if expected == nil { refused += 1 }
    }
    #expect(refused > 100)
    #expect(String(exactly: UnsafeRawBufferPointer(start: nil, count: 0)) == "")
  }

  /// What is cut off a letter of four bytes is mended by one of three, which is as long.
  @Test func `a mended text of the same length is no text`() {
    let bytes: [UInt8] = [0x61, 0xF0, 0x9F, 0x98]
    #expect(bytes.withUnsafeBytes { String(exactly: $0) } == nil)
  }
}
