import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension Command {
  static var tour: Command {
    Command(
      name: "tour", summary: "Demonstrate Roost, from an import to a killed process, and check every answer.",
      discussion: [
        "The store is made in a new temporary folder and stays there; the last lines say where it is and how to remove",
        "it. The tour ends with 1 at the first wrong answer.",
      ],
      syntax: Syntax(options: [
        Syntax.Option(name: "count", value: "n", help: "How many tracks to import (100000)."),
        Syntax.Option(name: "directory", value: "folder", help: "Where to make the folder of the tour."),
        Syntax.Option(name: "discard", help: "Remove the folder at the end."),
        Syntax.Option(name: "figures", help: "Measure four figures instead, and remove the folder."),
      ])
    ) { arguments, console in
      let count = try arguments.number("count", in: 1000...10_000_000) ?? 100_000
      let folder = try Tour.makeFolder(in: arguments.text("directory"))
      if arguments.has("figures") {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Figures(console: console, folder: folder, program: Tour.thisProgram).run()
        return .good
      }
      let tour = Tour(console: console, folder: folder, count: count, program: Tour.thisProgram)
      do {
        try tour.run()
      } catch {
        console.line("The store is left for inspection in \(folder)")
        throw error
      }
      if arguments.has("discard") {
        try FileManager.default.removeItem(atPath: folder)
      } else {
        tour.sayWhatIsNext()
      }
      return .good
    }
  }

  static var witness: Command {
    Command(
      name: Witness.command, summary: "Save repeatedly, until the tour kills this process.",
      syntax: Syntax(
        operands: [Syntax.Operand(name: "path", help: "The store.")],
        options: [Syntax.Option(name: "figure", value: "name", help: "Measure it instead: memory, or launch.")]),
      isHidden: true
    ) { arguments, _ in
      let path = arguments.operands[0]
      return try arguments.text("figure").map { try Figures.run($0, path) } ?? Witness.run(path)
    }
  }
}

extension Tour {
  /// A new folder that only its owner can read.
  static func makeFolder(in parent: String?) throws -> String {
    let parent = parent ?? FileManager.default.temporaryDirectory.path
    var template = Array((parent + "/roost-tour-" + String(repeating: "X", count: 6)).utf8CString)
    guard mkdtemp(&template) != nil else {
      throw CheckFailure(sentence: "cannot make a folder in \(parent): \(String(cString: strerror(errno)))")
    }
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The file of the running program.
  static var thisProgram: String {
    let link = "/proc/self/exe"
    return FileManager.default.fileExists(atPath: link) ? link : CommandLine.arguments[0]
  }

  func sayWhatIsNext() {
    let called = CommandLine.arguments.first ?? "roost"
    let roost = called.contains("/.build/") || called.hasPrefix(".build/") ? "swift run -c release roost" : "roost"
    console.line()
    console.line("The store is \(path). What to try next:")
    console.line("   \(roost) info \(path)")
    console.line("   \(roost) verify \(path)")
    console.line("   \(roost) verify \(damagedPath)")
    console.line("   rm -r \(folder)")
  }
}
