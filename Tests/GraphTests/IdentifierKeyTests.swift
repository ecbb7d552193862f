import RoostGraph
import RoostRecords
import Testing

@Suite struct IdentifierKeyTests {
  private static let uuid = "0192f0c1-5e3a-7abc-8def-0123456789ab"

  @Test(arguments: [
    "", "@", "7", "a@b", uuid + "@", uuid + "@north", uuid + "@a@b", uuid + "@\u{301}e", uuid.uppercased(), uuid + "0",
    uuid.replacing("-", with: ""), "g" + uuid.dropFirst(), uuid.replacing("-", with: "_"), uuid,
  ])
  func `a text comes back as it was`(_ text: String) {
    let key = IdentifierKey(text: text)
    #expect(key.text.map { Array($0.utf8) } == Array(text.utf8))
    #expect(key == IdentifierKey(text: text) && key.isLasting)
  }

  @Test func `a UUID in small letters is kept as a number, with its zone`() {
    let number = UUIDNumber(high: 0x0192_f0c1_5e3a_7abc, low: 0x8def_0123_4567_89ab)
    #expect(IdentifierKey(text: Self.uuid) == .uuid(number, zone: ""))
    #expect(IdentifierKey(text: Self.uuid + "@a@b") == .uuid(number, zone: "a@b"))
    #expect(IdentifierKey(text: Self.uuid + "@\u{301}e") == .uuid(number, zone: "\u{301}e"))
    for other in [Self.uuid + "@", Self.uuid.uppercased()] { #expect(IdentifierKey(text: other) == .text(other)) }
    #expect(IdentifierKey.row(7).text == nil && !IdentifierKey.temporary(7).isLasting)
  }
}
