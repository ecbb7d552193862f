import Foundation

/// Runs this program again, with other arguments.
enum ThisProgram {
  static var path: String {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
  }

  /// Waits for its end, and returns its output. Uses `popen`, because `Process` fails under
  /// valgrind.
  static func run(_ arguments: [String]) throws -> String {
    let words = ([path] + arguments).map { "'\($0.replacing("'", with: "'\\''"))'" }
    guard let pipe = popen("exec " + words.joined(separator: " "), "r") else {
      throw Misuse("no process could be started")
    }
    var answer: [UInt8] = []
    var byte = fgetc(pipe)
    while byte != EOF {
      answer.append(UInt8(truncatingIfNeeded: byte))
      byte = fgetc(pipe)
    }
    guard pclose(pipe) == 0 else {
      throw Misuse("the measured program failed: \(words.joined(separator: " "))")
    }
    return String(decoding: answer, as: UTF8.self)
  }
}
