import Foundation

/// The instructions of each operation on one kind of machine: a file in `Benchmarks/Baselines`.
///
/// ## Layout
/// One line for each operation: its suite, its name and the instructions, separated by spaces.
struct Baseline {
  var counts: [CountedOperation: UInt64]

  /// The platform on which instruction counts depend: `x86_64-swift-6.3.1-glibc-2.36`.
  static func machine() throws -> String {
    let pipe = Pipe()
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["swift", "--version"]
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let answer = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let words = answer.split(whereSeparator: \.isWhitespace)
    guard let place = words.firstIndex(of: "version"), place + 1 < words.count else {
      throw Misuse("`swift --version` names no version")
    }
    #if arch(x86_64)
      let architecture = "x86_64"
    #elseif arch(arm64)
      let architecture = "arm64"
    #else
      let architecture = "unknown"
    #endif
    #if canImport(Glibc)
      // "glibc 2.36"
      var library = [CChar](repeating: 0, count: 64)
      confstr(Int32(_CS_GNU_LIBC_VERSION), &library, library.count)
      let text = library.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
      return "\(architecture)-swift-\(words[place + 1])-\(text.split(separator: " ").joined(separator: "-"))"
    #else
      return "\(architecture)-swift-\(words[place + 1])"
    #endif
  }

  init(_ counts: [CountedOperation: UInt64]) { self.counts = counts }

  init(reading file: URL) throws {
    counts = [:]
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 3, let count = UInt64(words[2]), count > 0,
        let operation = CountedOperation.all.first(where: { $0.suite == words[0] && $0.name == words[1] })
      else { throw Misuse("\(file.path()): no operation is counted by the line '\(line)'") }
      counts[operation] = count
    }
  }

  func write(to file: URL) throws {
    let lines = CountedOperation.all.compactMap { operation in
      counts[operation].map { "\(operation.suite) \(operation.name) \($0)\n" }
    }
    try Data(lines.joined().utf8).write(to: file)
  }
}
