import Foundation
import Testing

/// Code of the program runs where an object ends, and may call the context. If that happens during
/// an access to a field that contained the object, the exclusivity check must end a debug build
/// with a message: without the check the program continues with damaged memory.
@Suite struct ExclusivityTests {
  /// Types that own objects of the program, or errors that may own them.
  static let owners = [
    "_ModelObject", "AnyObject", "Any", "Error", "LoadedList", "LinkLedger", "Batch", "BatchRing", "Scratch",
    "Scratches",
    "InsertionBook", "DecisionBook",
  ]

  @Test func `fields that can own objects of the program are checked in debug builds`() throws {
    var exceptions: [String] = []
    for source in HouseTests.sources where source.path.hasPrefix("RoostGraph/") {
      let lines = source.text.split(separator: "\n", omittingEmptySubsequences: false)
      for (number, line) in lines.enumerated() where line.contains("@exclusivity(unchecked)") {
        if line.drop(while: \.isWhitespace).hasPrefix("//") { continue }
        guard let field = lines[number...].first(where: { $0.contains("var ") }), !field.contains("weak ") else {
          continue
        }
        let words = Set(field.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
        if words.isDisjoint(with: Self.owners) { continue }
        if number > 0, lines[number - 1].contains("#if !DEBUG") {
          exceptions.append(source.path)
        } else {
          Issue.record("\(source.path):\(number + 1): \(field.trimmingCharacters(in: .whitespaces))")
        }
      }
    }
    #expect(exceptions == ["RoostGraph/Links/LinkGraph.swift"])
  }
}
