import RoostTestSupport
import Testing

@testable import RoostGraph

@Suite struct TextTests {
  /// Texts of letters of every width, with some bytes replaced or cut off.
  @Test(arguments: 0..<8 as Range<UInt64>)
  func `bytes are decoded as the standard library decodes them`(seed: UInt64) {
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

  /// A letter of four bytes that was cut off is replaced by one of three bytes, which has the same
  /// length.
  @Test func `a repaired text of the same length is rejected`() {
    let bytes: [UInt8] = [0x61, 0xF0, 0x9F, 0x98]
    #expect(bytes.withUnsafeBytes { String(exactly: $0) } == nil)
  }
}
