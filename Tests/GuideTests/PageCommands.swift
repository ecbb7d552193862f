import Foundation
import Testing

/// Runs the commands of a page.
enum PageCommands {
  static let hasSQLite = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .contains { FileManager.default.isExecutableFile(atPath: "\($0)/sqlite3") }

  /// Returns the text of a guide.
  static func page(_ name: String) throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: root.appending(path: "Sources/Roost/Roost.docc/\(name).md"), encoding: .utf8)
  }

  /// Returns the blocks of a guide in a language.
  static func blocks(_ name: String, _ language: String) throws -> [String] {
    try page(name).components(separatedBy: "```\(language)\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
  }

  /// Runs a shell script with `folder` as the current folder, and requires that it succeeds.
  static func run(_ script: String, in folder: URL, input: String = "") throws {
    let shell = Process()
    shell.executableURL = URL(filePath: "/bin/sh")
    shell.arguments = ["-e", "-c", script]
    shell.currentDirectoryURL = folder
    let pipe = Pipe()
    shell.standardInput = pipe
    try shell.run()
    try pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try pipe.fileHandleForWriting.close()
    shell.waitUntilExit()
    try #require(shell.terminationStatus == 0, "\(script)")
  }

  /// Makes a folder for a test, which removes it.
  static func folder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "guide-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }
}
