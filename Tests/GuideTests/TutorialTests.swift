#if os(Linux)
  import Foundation
  import RoostTestSupport
  import Testing

  /// Checks that the tutorial shows the code of an example that is built and run, and that each of
  /// its steps compiles.
  @Suite struct TutorialTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    private static let tutorial = root.appending(path: "Sources/Roost/Roost.docc/Tutorial")
    private static let example = root.appending(path: "Docs/Examples/TodoList")

    private static func step(_ name: String) throws -> String {
      try String(contentsOf: tutorial.appending(path: "Resources/todo-\(name).swift"), encoding: .utf8)
    }

    @Test(arguments: [
      ("package", "Package.swift"), ("models-3", "Sources/todo/Models.swift"),
      ("list-5", "Sources/todo/TodoList.swift"), ("main", "Sources/todo/main.swift"),
    ])
    func `the last steps are the example`(_ name: String, _ file: String) throws {
      #expect(try Self.step(name) == String(contentsOf: Self.example.appending(path: file), encoding: .utf8))
    }

    @Test(arguments: [
      ["models-1"], ["models-2"], ["models-2", "list-1"], ["models-2", "list-2"], ["models-2", "list-3"],
      ["models-2", "list-4"], ["models-3", "list-4"], ["models-3", "list-5"], ["models-3", "list-5", "main"],
    ])
    func `every step compiles`(_ names: [String]) throws {
      var sources: [String: String] = [:]
      for name in names { sources["\(name).swift"] = try Self.step(name) }
      let outcome = try CompilerCheck.types(sources)
      #expect(outcome.isGood, "\(names) \(outcome.text)")
    }

    @Test func `the pages show every file, and no other`() throws {
      let page = try String(contentsOf: Self.tutorial.appending(path: "TodoList.tutorial"), encoding: .utf8)
      let files = try FileManager.default.contentsOfDirectory(atPath: Self.tutorial.appending(path: "Resources").path)
        .filter { $0.hasSuffix(".swift") }
      #expect(files.count == 10)
      for file in files { #expect(page.contains("file: \(file))"), "\(file) is not shown") }
      #expect(page.components(separatedBy: "@Code(").count == files.count + 1)
    }
  }
#endif
