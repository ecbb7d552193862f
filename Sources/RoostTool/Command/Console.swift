import Foundation
import RoostFile

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The output of the tool, and its appearance.
///
/// On a terminal there is a progress bar and, unless `NO_COLOR` is set, some colour. In a pipe
/// there is neither.
final class Console {
  enum Stream { case output, errors }

  enum Style: String {
    case strong = "1"
    case faint = "2"
    case good = "32"
    case bad = "31"
  }

  let isTerminal: Bool
  let hasColours: Bool
  /// The number of columns of the terminal.
  let width: Int
  private let sink: (Stream, String) -> Void
  /// The error of writing the output, if one occurred.
  private let failure: () -> StoreError?
  /// Reads a line that a user types; nil without a terminal.
  private let answer: (() -> String?)?

  init(
    isTerminal: Bool, hasColours: Bool, width: Int = 80, failure: @escaping () -> StoreError? = { nil },
    answer: (() -> String?)? = nil, sink: @escaping (Stream, String) -> Void
  ) {
    self.isTerminal = isTerminal
    self.hasColours = hasColours
    self.width = width
    self.failure = failure
    self.answer = answer
    self.sink = sink
  }

  /// The console of this process.
  static func standard(_ environment: [String: String]) -> Console {
    let isTerminal = isatty(1) == 1 && environment["TERM"] != "dumb"
    let hasColours = isTerminal && (environment["NO_COLOR"] ?? "").isEmpty
    // A closed pipe makes a write fail, which ends the program silently.
    _ = signal(SIGPIPE, SIG_IGN)
    final class Fate {
      var failure: StoreError?
    }
    let (output, errors, fate) = (ByteStream.standardOutput, ByteStream.standardError, Fate())
    return Console(
      isTerminal: isTerminal, hasColours: hasColours, width: columns(environment), failure: { fate.failure },
      answer: isTerminal && isatty(0) == 1 ? { readLine() } : nil
    ) { stream, text in
      let bytes = Array(text.utf8)
      do { try bytes.withUnsafeBytes { try (stream == .output ? output : errors).write($0) } } catch {
        if stream == .output, fate.failure == nil { fate.failure = error as? StoreError }
      }
    }
  }

  private static func columns(_ environment: [String: String]) -> Int {
    var size = winsize()
    if ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return max(20, Int(size.ws_col)) }
    return environment["COLUMNS"].flatMap { Int($0) }.map { max(20, $0) } ?? 80
  }

  /// A console without progress if `isQuiet`, for output that a program reads.
  func quiet(_ isQuiet: Bool) -> Console {
    isQuiet ? Console(isTerminal: false, hasColours: false, width: width, failure: failure, sink: sink) : self
  }

  /// A console with another destination of its output. Errors still go to the old one.
  func redirected(
    isTerminal: Bool, width: Int? = nil, failure: @escaping () -> StoreError?, answer: (() -> String?)?,
    output: @escaping (String) -> Void
  ) -> Console {
    let sink = sink
    return Console(
      isTerminal: isTerminal, hasColours: isTerminal && hasColours, width: width ?? self.width, failure: failure,
      answer: answer
    ) { stream, text in
      if stream == .output { output(text) } else { sink(stream, text) }
    }
  }

  /// Asks the user a yes-or-no question. Nil without a terminal.
  func confirms(_ question: String) -> Bool? {
    guard let answer else { return nil }
    sink(.output, SafeText.line(question) + " [y/N] ")
    return ["y", "yes"].contains(answer()?.lowercased())
  }

  // MARK: Text

  /// Prints a line. Control characters in a store's text are shown, so they have no effect on a
  /// terminal.
  func line(_ words: StyledText = "") { sink(.output, text(words) + "\n") }

  /// A line of plain text.
  func line(text: String) { line(StyledText(text)) }

  /// A line as it is printed, without its end.
  func text(_ words: StyledText) -> String {
    words.parts.reduce(into: "") { line, part in
      let safe = SafeText.line(part.text)
      if let style = part.style, hasColours {
        line += "\u{1B}[\(style.rawValue)m\(safe)\u{1B}[0m"
      } else {
        line += safe
      }
    }
  }

  func error(_ text: String) { sink(.errors, SafeText.line(text) + "\n") }

  /// Prints text unchanged, for programs that read it. On a terminal, control characters are
  /// escaped.
  func plain(_ text: String) throws {
    sink(.output, isTerminal ? SafeText.lines(text) : text)
    try checkReader()
  }

  /// Prints text whose control characters are already escaped.
  func raw(_ text: String) throws {
    sink(.output, text)
    try checkReader()
  }

  /// Throws if the output could not be written: its reader has ended, or the device failed.
  func checkReader() throws { if let failure = failure() { throw failure } }

  /// Text that a terminal shows in a style.
  func styled(_ text: String, _ style: Style) -> StyledText { StyledText(text, style) }

  /// Prints labels and their values, in two columns.
  func facts(_ rows: [(String, String)]) {
    let width = rows.map { TextWidth.columns($0.0) }.max() ?? 0
    for (label, text) in rows {
      let padded = label + String(repeating: " ", count: width - TextWidth.columns(label) + 2)
      line(styled(padded, .faint) + text)
    }
  }

  /// Prints a line that the next one replaces. Prints nothing in a pipe.
  func passing(_ text: String) {
    if isTerminal { sink(.output, "\r\u{1B}[K" + text) }
  }
}

/// A progress bar for long operations.
struct Progress {
  private let console: Console
  private let title: String
  private let total: Int
  private var drawn = ContinuousClock.now - .seconds(1)

  init(_ title: String, of total: Int, on console: Console) {
    self.console = console
    self.title = title
    self.total = max(total, 1)
  }

  mutating func advance(to done: Int) {
    guard console.isTerminal, ContinuousClock.now - drawn > .milliseconds(50) else { return }
    drawn = .now
    // A line wider than the terminal could not be replaced by the next one.
    let width = min(32, max(0, console.width - title.count - 12))
    let full = min(width, done * width / total)
    let bar = String(repeating: "█", count: full) + String(repeating: "░", count: width - full)
    console.passing("   \(title) \(bar) \(min(100, done * 100 / total)) %")
  }

  func end() { console.passing("") }
}
