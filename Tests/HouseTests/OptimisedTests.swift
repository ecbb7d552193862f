import Foundation
import Testing

/// `.ci/run` builds some test targets optimised too. Modules of such a build show nothing internal,
/// so a `@testable import` there broke the whole build.
@Suite struct OptimisedTests {
  /// Returns the test targets, or their folders, that `.ci/run` builds optimised.
  private func targets() throws -> [String] {
    let script = try String(contentsOf: HouseTests.root.appendingPathComponent(".ci/run"), encoding: .utf8)
    let key = "ROOST_TESTS="
    let line = try #require(script.split(separator: "\n").first { $0.contains(key) })
    return line.components(separatedBy: key)[1].split(separator: ",").map(String.init)
  }

  /// Returns the lines of a file that import a module with its internals, and that an optimised
  /// build compiles.
  private func mistakes(_ text: String) -> [Int] {
    // For each open condition, whether the current lines belong to a debug build.
    var conditions: [Bool] = []
    var found: [Int] = []
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let words = line.split(separator: " ")
      switch words.first {
      case "#if": conditions.append(words.dropFirst() == ["DEBUG"])
      case "#else", "#elseif": if !conditions.isEmpty { conditions[conditions.count - 1] = false }
      case "#endif": _ = conditions.popLast()
      case "@testable": if !conditions.contains(true) { found.append(number + 1) }
      default: break
      }
    }
    return found
  }

  @Test func `tests that are built optimised use no internal declarations`() throws {
    let targets = try targets()
    #expect(targets.contains("RoostTests/Questions") && targets.count > 1)
    var count = 0
    for target in targets {
      let folder = HouseTests.root.appendingPathComponent("Tests/" + target)
      for case let path as String in try #require(FileManager.default.enumerator(atPath: folder.path))
      where path.hasSuffix(".swift") {
        count += 1
        let text = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
        for line in mistakes(text) {
          Issue.record("\(target)/\(path):\(line): put '@testable import' and what needs it within '#if DEBUG'")
        }
      }
    }
    #expect(count > 20)
  }

  @Test(arguments: [
    ("@testable import A", [1]), ("#if DEBUG\n  @testable import A\n#endif\n@testable import B", [4]),
    ("#if DEBUG\n#if os(Linux)\n@testable import A\n#endif\n#else\n@testable import B\n#endif", [6]),
    ("#if os(Linux)\n@testable import A\n#endif", [2]), ("import A", []),
  ])
  func `testable imports are found`(text: String, lines: [Int]) { #expect(mistakes(text) == lines) }
}
