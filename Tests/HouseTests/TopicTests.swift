import Foundation
import Testing

/// The largest types have pages that group their members. A member that a page does not list would
/// be at its end without a group.
@Suite struct TopicTests {
  private static let folder = HouseTests.root.appendingPathComponent("Sources/Roost/Roost.docc/Reference")

  private static let pages: [String] = {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return files.filter { $0.hasSuffix(".md") }.map { String($0.dropLast(3)) }.sorted()
  }()

  /// The members of each public type of the module, without requirements of Swift's protocols.
  private static let members: [String: Set<String>] = {
    var members: [String: Set<String>] = [:]
    for source in HouseTests.sources where source.floor == "Roost" {
      for one in PublicDeclarations(source.text).found where one.path.count == 2 && CommentTests.needsComment(one) {
        members[one.path[0], default: []].insert(one.path[1])
      }
    }
    return members
  }()

  /// Returns the names of members, without parameters, that a page lists.
  static func listed(_ page: String) -> Set<String> {
    Set(
      page.split(separator: "\n").filter { $0.hasPrefix("- ``") }.map { line in
        String(line.dropFirst(4).prefix { $0 != "(" && $0 != "`" && $0 != "-" })
      })
  }

  @Test func `there are pages`() throws {
    #expect(Set(Self.pages).isSuperset(of: ["ModelContainer", "ModelContext", "FetchDescriptor", "RoostError"]))
    #expect(Self.listed("# ``A``\n- ``b``\n- ``c(d:)-(E)``\n- <doc:F>\n- ``~=(_:_:)``") == ["b", "c", "~="])
  }

  @Test(arguments: pages) func `a page of a type lists each member`(_ type: String) throws {
    let page = try String(contentsOf: Self.folder.appendingPathComponent(type + ".md"), encoding: .utf8)
    let listed = Self.listed(page)
    #expect(page.hasPrefix("# ``Roost/\(type)``\n"))
    let members = Self.members[type] ?? []
    #expect(members.count > 4)
    #expect(members.subtracting(listed).sorted() == [], "\(type).md has no topic for these")
  }
}
