import Foundation
import Testing

/// Checks the module table of Docs/ARCHITECTURE.md, because the compiler refuses only cycles of
/// imports.
@Suite struct HouseTests {
  /// The modules of Roost that each module may import. A module that is missing here fails the
  /// test.
  static let allowed: [String: Set<String>] = [
    "CLZ4": [],
    "CRetain": [],
    "RoostBytes": ["CLZ4"],
    "RoostFile": [],
    "RoostText": ["RoostFile", "RoostBytes"],
    "RoostPages": ["RoostFile", "RoostBytes"],
    // RoostFile only for the error type and the locks.
    "RoostTrees": ["RoostPages", "RoostBytes", "RoostFile"],
    "RoostCare": ["RoostTrees", "RoostPages", "RoostFile", "RoostBytes"],
    "RoostKV": ["RoostCare", "RoostTrees", "RoostPages", "RoostFile", "RoostBytes"],
    "RoostRecords": ["RoostCare", "RoostText", "RoostTrees", "RoostPages", "RoostFile", "RoostBytes"],
    "RoostQuery": ["RoostRecords", "RoostFile", "RoostBytes"],
    "RoostTransfer": ["RoostQuery", "RoostRecords", "RoostPages", "RoostFile", "RoostBytes"],
    // RoostFile only for the error type and the locks.
    "RoostGraph": ["CRetain", "RoostQuery", "RoostRecords", "RoostText", "RoostPages", "RoostFile"],
    "Roost": [
      "RoostGraph", "RoostQuery", "RoostRecords", "RoostText", "RoostCare", "RoostPages", "RoostFile",
    ],
    "SwiftData": ["Roost"],
    "RoostImport": ["Roost", "RoostTransfer", "RoostGraph", "RoostQuery", "RoostRecords", "RoostFile"],
    "CPostgres": [],
    "RoostPostgres": ["CPostgres", "Roost", "RoostGraph", "RoostQuery", "RoostRecords", "RoostFile"],
    "RoostExpansion": [],
    "RoostMacros": ["RoostExpansion"],
    "RoostTestSupport": [
      "RoostFile", "RoostBytes", "RoostText", "RoostPages", "RoostTrees", "RoostKV", "RoostRecords", "RoostQuery",
    ],
    "RoostDoorTrials": ["Roost", "RoostTestSupport", "RoostGraph", "RoostRecords", "RoostPages", "RoostFile"],
    "RoostTool": [
      "Roost", "RoostImport", "RoostGraph", "RoostTransfer", "RoostQuery", "RoostKV", "RoostCare", "RoostRecords",
      "RoostTrees", "RoostPages", "RoostFile", "RoostBytes",
    ],
    "RoostProgram": ["RoostTool"],
    "RoostTorture": [
      "RoostDoorTrials", "RoostTestSupport", "RoostKV", "RoostTrees", "RoostPages", "RoostFile", "RoostBytes",
    ],
  ]
  /// The modules that may use Foundation.
  static let foundation: Set<String> = [
    "Roost", "RoostImport", "RoostPostgres", "RoostTool", "RoostTorture", "RoostTestSupport", "RoostDoorTrials",
  ]
  /// The public modules.
  static let doors: Set<String> = ["RoostKV", "Roost", "RoostImport", "RoostPostgres"]
  /// Public modules that are built only with a trait.
  static let optionalDoors = ["RoostPostgres": "Postgres"]
  static let publicFiles: Set<String> = [
    "RoostFile/StoreError.swift", "RoostCare/Backup.swift", "RoostCare/Compaction.swift",
    "RoostCare/Rescue+Salvage.swift", "RoostCare/Salvage.swift", "RoostCare/Verification.swift",
  ]
  static let system: Set<String> = [
    "Swift", "_StringProcessing", "Glibc", "Musl", "Darwin", "Synchronization", "FoundationEssentials", "WinSDK",
    "Bionic", "Observation",
  ]

  /// The modules for macros in the toolchain, and the module that may import them.
  static let syntax =
    "SwiftSyntax SwiftSyntaxBuilder SwiftIfConfig SwiftOperators SwiftSyntaxMacros SwiftDiagnostics SwiftCompilerPluginMessageHandling"
    .split(separator: " ").map(String.init)
  /// The module that generated code uses. Its public names are for that code only, and begin with
  /// `_`.
  static let generated = "RoostGraph"

  struct Source {
    var floor: String
    var path: String
    var text: String
    var lines: [Substring]
  }

  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  static let sources: [Source] = {
    let folder = root.appendingPathComponent("Sources")
    let found = FileManager.default.enumerator(atPath: folder.path)!
    // Files of guides belong to no module.
    let paths = found.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") && !$0.contains(".docc/") }
    return paths.sorted().map { path in
      let text = try? String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
      return Source(
        floor: String(path.prefix { $0 != "/" }), path: path, text: text ?? "",
        lines: (text ?? "").split(separator: "\n", omittingEmptySubsequences: false))
    }
  }()

  @Test func `there are sources to look at`() {
    #expect(Self.sources.count > 40)
    #expect(Set(Self.sources.map(\.floor)).isSubset(of: Self.allowed.keys))
  }

  /// Regression test: `RoostImport` became a product, and its pages were not built.
  @Test func `the reference of every public module is built`() throws {
    let script = try String(contentsOf: Self.root.appendingPathComponent(".ci/docs"), encoding: .utf8)
    let line = try #require(script.split(separator: "\n").first { $0.hasPrefix("modules=") })
    let modules = line.dropFirst("modules=".count).split { $0 == "\"" || $0 == " " }
    #expect(Set(modules.map(String.init)) == Self.doors.subtracting(Self.optionalDoors.keys))
  }

  /// A machine without libpq compiles these files too.
  @Test func `a public module with a trait is empty without it`() {
    for source in Self.sources {
      guard let trait = Self.optionalDoors[source.floor] else { continue }
      let lines = source.lines.filter { !$0.isEmpty }
      #expect(lines.first == "#if \(trait)" && lines.last == "#endif", "\(source.path) is not in #if \(trait)")
    }
  }

  @Test func `each module imports only what the table allows`() {
    for source in Self.sources {
      for line in source.lines where line.contains("import ") && !line.contains("//") && !line.contains("\"") {
        let words = line.split(separator: " ")
        guard let at = words.firstIndex(of: "import"), at + 1 < words.count, at <= 2 else { continue }
        let kinds: Set<Substring> = ["struct", "class", "enum", "func", "protocol"]
        let named = kinds.contains(words[at + 1]) && at + 2 < words.count ? words[at + 2] : words[at + 1]
        let module = String(named.prefix { $0 != "." })
        if module == "Foundation" {
          #expect(Self.foundation.contains(source.floor), "\(source.path) imports Foundation")
        } else if Self.syntax.contains(module) {
          #expect(["RoostExpansion", "RoostMacros"].contains(source.floor), "\(source.path) imports \(module)")
        } else if !Self.system.contains(module) {
          #expect(
            Self.allowed[source.floor]?.contains(module) == true || module == source.floor,
            "\(source.path) imports \(module)")
        }
      }
    }
  }

  @Test func `no file is longer than 600 lines`() {
    for source in Self.sources {
      #expect(source.lines.count <= 600, "\(source.path) has \(source.lines.count) lines")
    }
  }

  @Test func `nothing is left as a stub`() {
    let marks = ["TODO", "FIXME", " XXX", "HACK", "fatalError(", "try!", "as! "]
    for source in Self.sources {
      for mark in marks where source.text.range(of: mark, options: .literal) != nil {
        let number = source.lines.firstIndex { $0.contains(mark) } ?? 0
        Issue.record("\(source.path):\(number + 1) holds \(mark)")
      }
    }
  }

  @Test func `only public modules have public declarations`() {
    for source in Self.sources
    where !Self.doors.contains(source.floor) && !Self.publicFiles.contains(source.path)
      && source.floor != Self.generated
    {
      for (number, line) in source.lines.enumerated() {
        let words = line.split(separator: " ")
        #expect(
          words.first != "public" || words.dropFirst().first == "import", "\(source.path):\(number + 1) is public")
      }
    }
  }

  @Test func `names for generated code begin with an underscore`() {
    let kinds: Set<Substring> = ["func", "var", "let", "struct", "class", "enum", "protocol", "typealias"]
    var count = 0
    for source in Self.sources where source.floor == Self.generated {
      for (number, line) in source.lines.enumerated() {
        let words = line.split(separator: " ")
        guard let at = words.firstIndex(of: "public"), !words.contains("import"), !line.contains("//") else { continue }
        guard let kind = words[at...].firstIndex(where: { kinds.contains($0) }), kind + 1 < words.count else {
          continue
        }
        count += 1
        #expect(words[kind + 1].hasPrefix("_"), "\(source.path):\(number + 1) is public without an underscore")
      }
    }
    #expect(count > 50)
  }

  @Test func `the top level is as planned`() throws {
    let planned: Set<String> = [
      "Package.swift", "Sources", "Tests", "Benchmarks", "Docs", "README.md", "LICENSE", "Package.resolved",
    ]
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.root.path)
    for name in names where !name.hasPrefix(".") { #expect(planned.contains(name), "\(name) is not planned") }
    for name in planned where name != "Package.resolved" { #expect(names.contains(name), "\(name) is missing") }
  }
}
