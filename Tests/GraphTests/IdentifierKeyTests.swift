import RoostGraph
import RoostRecords
import Testing

@Suite struct IdentifierKeyTests {
  private static let uuid = "0192f0c1-5e3a-7abc-8def-0123456789ab"

  @Test(arguments: [
    "", "@", "7", "a@b", uuid + "@", uuid + "@north", uuid + "@a@b", uuid + "@\u{301}e", uuid.uppercased(), uuid + "0",
    uuid.replacing("-", with: ""), "g" + uuid.dropFirst(), uuid.replacing("-", with: "_"), uuid,
  ])
  func `a text is returned unchanged`(_ text: String) {
    let key = IdentifierKey(text: text)
    #expect(key.text.map { Array($0.utf8) } == Array(text.utf8))
    #expect(key == IdentifierKey(text: text) && key.isLasting)
  }

  @Test func `a lowercase UUID is stored as a number, with its zone`() {
    let number = UUIDNumber(high: 0x0192_f0c1_5e3a_7abc, low: 0x8def_0123_4567_89ab)
    #expect(IdentifierKey(text: Self.uuid) == .uuid(number, zone: .none))
    #expect(IdentifierKey(text: Self.uuid + "@a@b") == .uuid(number, zone: ZoneName("a@b")))
    #expect(IdentifierKey(text: Self.uuid + "@\u{301}e") == .uuid(number, zone: ZoneName("\u{301}e")))
    for other in [Self.uuid + "@", Self.uuid.uppercased()] { #expect(IdentifierKey(text: other) == .text(other)) }
    #expect(IdentifierKey.row(7).text == nil && !IdentifierKey.temporary(7).isLasting)
  }

  @Test func `keys with the same UUID differ by their zones`() {
    func key(_ zone: String) -> IdentifierKey {
      .uuid(UUIDNumber(high: 1, low: 2), zone: ZoneName(zone))
    }
    #expect(key("north") == key("north") && key("north").hashValue == key("north").hashValue)
    #expect(key("\u{E9}") == key("e\u{301}") && key("\u{E9}").hashValue == key("e\u{301}").hashValue)
    #expect(key("north") != key("south") && key("north") != key(""))
    #expect(Set((0..<100).map { key("zone \($0)").hashValue }).count > 90)
  }
}
