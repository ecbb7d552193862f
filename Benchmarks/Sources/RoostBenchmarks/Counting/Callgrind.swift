import Foundation

/// A suite of a RoostBenchmarks program that runs under `callgrind`, which counts the instructions of each operation.
final class Callgrind {
  private let process = Process()
  private let folder: URL
  private let program: String
  private let suite: String
  private let operations: [CountedOperation]

  /// The function that ``Stopwatch`` calls: `measured()`.
  private static let symbol = "$s15RoostBenchmarks8measuredyyF"

  /// Starts the program.
  init(_ program: String, suite: String) throws {
    self.program = program
    self.suite = suite
    operations = CountedOperation.all.filter { $0.suite == suite }
    folder = FileManager.default.temporaryDirectory.appending(path: "roost-counts-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "valgrind", "--tool=callgrind", "--collect-atstart=no", "--toggle-collect=\(Self.symbol)",
      "--dump-after=\(Self.symbol)", "--trace-children=yes", "--callgrind-out-file=\(folder.path())/counts.%p", program,
      suite,
      "--size", "\(CountedOperation.tracks)", "--runs", "1", "--only",
      ([EngineRegistry.subject] + operations.map(\.name)).joined(separator: ","),
    ]
    // Hash tables then have the same order in each run, and so the same number of collisions.
    process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_DETERMINISTIC_HASHING": "1"]) { $1 }
    process.standardOutput = FileHandle.nullDevice
    let log = folder.appending(path: "log")
    try Data().write(to: log)
    process.standardError = try FileHandle(forWritingTo: log)
    try process.run()
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Waits for the program's end. Returns the instructions of each operation.
  func finish() throws -> [CountedOperation: UInt64] {
    process.waitUntilExit()
    let log = try String(contentsOf: folder.appending(path: "log"), encoding: .utf8)
    guard process.terminationStatus == 0 else { throw Misuse("\(program) \(suite) failed under valgrind:\n\(log)") }
    // The program reports each operation after its end, and callgrind writes one numbered file for
    // each.
    let names = log.split(separator: "\n").compactMap { line -> String? in
      let words = line.split(separator: " ")
      guard words.count > 3, words[0] == suite, words[2].hasSuffix(":"), words[3] == "roost" else { return nil }
      return String(words[1])
    }
    guard Set(names) == Set(operations.map(\.name)), names.count == operations.count else {
      throw Misuse("\(program) \(suite) carried out \(names), not \(operations.map(\.name))")
    }
    var counts: [CountedOperation: UInt64] = [:]
    var parts = 0
    for name in names {
      let operation = operations.first { $0.name == name }!
      if operation.isInOtherProcess {
        counts[operation] = try otherProcesses().map(total).min()
      } else {
        parts += 1
        counts[operation] = try total(file(parts))
      }
    }
    guard !FileManager.default.fileExists(atPath: file(parts + 1)) else {
      throw Misuse("\(program) \(suite) measured more parts than the \(parts) operations it reported")
    }
    return counts
  }

  private func file(_ part: Int) -> String { "\(folder.path())/counts.\(process.processIdentifier).\(part)" }

  /// The first part of each process that the program started.
  private func otherProcesses() throws -> [String] {
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path()).filter { name in
      name.hasPrefix("counts.") && name.hasSuffix(".1") && !name.hasPrefix("counts.\(process.processIdentifier).")
    }
    if files.isEmpty { throw Misuse("\(program) \(suite) started no other process that was counted") }
    return files.map { "\(folder.path())/\($0)" }
  }

  private func total(_ file: String) throws -> UInt64 {
    guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
      throw Misuse("callgrind counted nothing in \(program) \(suite): the program has no function \(Self.symbol)")
    }
    for line in text.split(separator: "\n") where line.hasPrefix("summary: ") || line.hasPrefix("totals: ") {
      if let total = line.split(separator: " ").last.flatMap({ UInt64($0) }), total > 0 { return total }
    }
    throw Misuse("callgrind wrote no total into \(file)")
  }
}
