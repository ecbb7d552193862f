import Testing

/// A reader expects a name to mean the same type in all modules.
@Suite struct NameTests {
  private static let kinds: Set<Substring> = ["class", "struct", "enum", "protocol", "typealias", "actor"]

  /// Returns the types that a file declares for other files too.
  static func declared(_ text: String) -> [String] {
    let code = String(decoding: SourceNames.code(of: Array(text.utf8)), as: UTF8.self)
    return code.split(separator: "\n").compactMap { line in
      let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "@" }
      guard line.first != " ", !words.contains("import"), !words.contains("private"), !words.contains("fileprivate"),
        let kind = words.firstIndex(where: kinds.contains), kind + 1 < words.count
      else { return nil }
      return String(words[words[kind + 1] == "class" ? kind + 2 : kind + 1])
    }
  }

  @Test(arguments: [
    ("package final class A {\n  struct B {}\n}", ["A"]), ("private enum C {}\nextension D {}", []),
    ("@usableFromInline struct E<F> {}", ["E"]), ("@_exported public import struct G.H", []),
    ("// enum I {}\nindirect enum J {\n}", ["J"]),
  ])
  func `what a file declares`(text: String, names: [String]) { #expect(Self.declared(text) == names) }

  @Test func `a name means one type in all modules`() {
    var floors: [String: Set<String>] = [:]
    for source in HouseTests.sources {
      for name in Self.declared(source.text) { floors[name, default: []].insert(source.floor) }
    }
    #expect(floors.count > 500)
    for (name, floors) in floors where floors.count > 1 { Issue.record("\(name) is declared in \(floors.sorted())") }
  }
}
