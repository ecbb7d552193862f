#if os(Linux)
  import RoostTestSupport
  import Testing

  /// What the compiler says of an index that a property cannot have.
  @Suite struct IndexWordsTests {
    private func complaints(_ index: String) throws -> String {
      try CompilerCheck.types(
        [
          "Model.swift": """
          import Foundation
          import SwiftData

          @Model final class Card {
            \(index)
            var name: String
            var points: Int
            var sent: Date
            var labels: [String: Int]
            init() { (name, points, sent, labels) = ("", 0, .now, [:]) }
          }
          """
        ], root: #filePath.replacing("/Indexes", with: "")
      ).text
    }

    @Test(arguments: [
      (#"#Index<Card>([.lowercased(\.points)])"#, "only a String has a lower case"),
      (#"#Index<Card>([.year(\.name)])"#, "only a Date has a year"),
      (#"#Index<Card>([.keys(\.name)])"#, "only a dictionary has keys"),
      (#"#Index<Card>([\.name], where: #Predicate { $0.points > 1 })"#, "write 'where: { $0.points > 1 }'"),
    ])
    func `an index that is not possible is explained`(index: String, words: String) throws {
      let text = try complaints(index)
      #expect(text.contains(words), "\(text)")
      #expect(!text.contains("failed to produce diagnostic"), "\(text)")
    }

    @Test func `indexes of all forms compile`() throws {
      let index = #"#Index<Card>([.folded(\.name)], [.keys(\.labels)], [.year(\.sent), .hour(\.sent).descending])"#
      #expect(try complaints(index) == "")
    }
  }
#endif
