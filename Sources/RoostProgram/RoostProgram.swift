internal import RoostTool

/// The program `roost`. Its code is in a module of its own, which tests can import.
@main
enum RoostProgram {
  static func main() { CommandLineTool.run() }
}
