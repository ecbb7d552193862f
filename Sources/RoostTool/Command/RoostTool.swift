import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The program `roost`.
@main
enum RoostTool {
  static func main() {
    let console = Console.standard(ProcessInfo.processInfo.environment)
    exit(Command.run(Array(CommandLine.arguments.dropFirst()), on: console).rawValue)
  }
}
