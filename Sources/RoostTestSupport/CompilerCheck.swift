#if os(Linux)
  internal import Foundation

  /// Compiles sources with the modules that were built for the tests.
  package enum CompilerCheck {
    package struct Outcome: Sendable {
      package var isGood: Bool
      /// The output of the compiler.
      package var text: String
    }

    /// Type-checks sources that form one module. Each warning is an error.
    ///
    /// - Parameters:
    ///   - sources: texts by the names of their files.
    ///   - mostMilliseconds: the longest time for one expression.
    package static func types(
      _ sources: [String: String], mostMilliseconds: Int? = nil, root: String = #filePath
    ) throws -> Outcome {
      let folder = FileManager.default.temporaryDirectory.appending(path: "roost-check-\(UUID())")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      var files: [String] = []
      for (name, text) in sources.sorted(by: { $0.key < $1.key }) {
        let file = folder.appending(path: name)
        try Data(text.utf8).write(to: file)
        files.append(file.path())
      }
      let products = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path()
      let root = URL(filePath: root).deletingLastPathComponent().appending(path: "../..").standardized.path()
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments =
        [
          "swiftc", "-typecheck", "-swift-version", "6", "-I", products + "Modules", "-I", root + "Sources/CLZ4",
          "-Xcc", "-fmodule-map-file=\(products)CRetain.build/module.modulemap",
          "-load-plugin-executable", products + "RoostMacros-tool#RoostMacros", "-warnings-as-errors",
        ]
        + (mostMilliseconds.map { ["-Xfrontend", "-warn-long-expression-type-checking=\($0)"] } ?? []) + files
      let pipe = Pipe()
      (process.standardOutput, process.standardError) = (pipe, pipe)
      try process.run()
      let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
      process.waitUntilExit()
      return Outcome(isGood: process.terminationStatus == 0, text: text)
    }
  }
#endif
