import RoostFile
import RoostTransfer

/// Prints the error of a statement.
enum ShellFailure {
  static func report(_ error: any Error, _ console: Console) {
    switch error {
    case is CancellationError: console.error("cancelled")
    case let error as UsageError: console.error("Error: \(error.sentence)")
    case let error as QuestionFault:
      console.error("Error: \(error.detail)")
      for line in mark(error) { console.error("  " + line) }
    case let error as CheckFailure: console.error("Error: \(error.sentence).")
    default: console.error("Error: \(error)")
    }
    if let entry = (error as? any CataloguedError)?.entry {
      console.error("See '.help \(entry.number)' for more information.")
    }
  }

  /// The line of the condition with the error, and a mark below it.
  private static func mark(_ error: QuestionFault) -> [String] {
    let characters = Array(error.text)
    let place = min(error.place, characters.count)
    var start = place
    while start > 0, characters[start - 1] != "\n" { start -= 1 }
    let line = characters[start...].prefix { $0 != "\n" }
    let before = SafeText.line(String(characters[start..<place]))
    return [String(line), String(repeating: " ", count: TextWidth.columns(before)) + "^"]
  }
}
