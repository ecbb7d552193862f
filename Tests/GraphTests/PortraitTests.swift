import RoostGraph
import Testing

/// The text that `print` shows of a model.
@Suite struct PortraitTests {
  /// Regression: a model with a list of a million members made a text of each of them, and showed
  /// eight.
  @Test func `a portrait names few members of a list and counts all`() throws {
    let club = Club("chess")
    club.members = (0..<1000).map { Pupil("\($0)") }
    guard case .many(let names, let count)? = Portrait(club).parts.first(where: { $0.property == "members" })?.part
    else {
      Issue.record("the members are no list")
      return
    }
    #expect(names.count == 8 && count == 1000)
    #expect(Portrait(club).description.hasSuffix("Pupil, and 992 more])"), "\(Portrait(club).description)")
    club.members.removeLast(993)
    #expect(Portrait(club).description.hasSuffix("Pupil])"), "\(Portrait(club).description)")
  }
}
