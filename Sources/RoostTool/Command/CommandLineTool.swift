import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A run of the program `roost`.
package enum CommandLineTool {
  /// Runs the command line of this process, and ends the process.
  package static func run() -> Never {
    let console = Console.standard(ProcessInfo.processInfo.environment)
    exit(Command.run(Array(CommandLine.arguments.dropFirst()), on: console).rawValue)
  }
}
