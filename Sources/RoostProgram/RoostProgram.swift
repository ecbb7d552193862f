internal import RoostTool

/// The program `roost`. What it does stands in a floor of its own, which tests can import.
@main
enum RoostProgram {
  static func main() { CommandLineTool.run() }
}
