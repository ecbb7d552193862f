import Foundation
import RoostFile

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where the tool's words go, and how they look there.
///
/// On a terminal there is a progress bar and, unless `NO_COLOR` is set, a little colour; in a pipe there is neither.
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
  /// How many columns the terminal has.
  let width: Int
  private let sink: (Stream, String) -> Void
  /// Why the output could not be written, once that has happened.
  private let failure: () -> StoreError?
  /// Reads a line that a person types; nil if there is no person.
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

  /// The one of this process.
  static func standard(_ environment: [String: String]) -> Console {
    let isTerminal = isatty(1) == 1 && environment["TERM"] != "dumb"
    let hasColours = isTerminal && (environment["NO_COLOR"] ?? "").isEmpty
    // A pipe whose reader has gone is told by a failing write, and ends the program silently.
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

  /// This console, or one like it that shows no progress, where a program reads what is printed.
  func quiet(_ isQuiet: Bool) -> Console {
    isQuiet ? Console(isTerminal: false, hasColours: false, width: width, failure: failure, sink: sink) : self
  }

  /// A console with another place for its output. Errors go where they did.
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

  /// Asks a person a yes-or-no question. Nil without a terminal.
  func confirms(_ question: String) -> Bool? {
    guard let answer else { return nil }
    sink(.output, SafeText.line(question) + " [y/N] ")
    return ["y", "yes"].contains(answer()?.lowercased())
  }

  // MARK: Words

  /// What a store says cannot do anything to a terminal: it is shown, and not obeyed.
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

  /// Text as it is, for whoever reads what is printed. On a terminal what could disturb it is shown otherwise.
  func plain(_ text: String) throws {
    sink(.output, isTerminal ? SafeText.lines(text) : text)
    try checkReader()
  }

  /// Text in which nothing is left that could disturb a terminal.
  func raw(_ text: String) throws {
    sink(.output, text)
    try checkReader()
  }

  /// Throws where the output could not be written: nobody reads it any more, or the device refuses it.
  func checkReader() throws { if let failure = failure() { throw failure } }

  /// Text that a terminal shows in a style.
  func styled(_ text: String, _ style: Style) -> StyledText { StyledText(text, style) }

  /// Labels and what they say, in two columns.
  func facts(_ rows: [(String, String)]) {
    let width = rows.map { TextWidth.columns($0.0) }.max() ?? 0
    for (label, text) in rows {
      let padded = label + String(repeating: " ", count: width - TextWidth.columns(label) + 2)
      line(styled(padded, .faint) + text)
    }
  }

  /// A line that the next one replaces. Nothing in a pipe.
  func passing(_ text: String) {
    if isTerminal { sink(.output, "\r\u{1B}[K" + text) }
  }
}

/// A bar that fills while something takes long.
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
    // A line that is longer than the terminal is wide cannot be replaced by the next one.
    let width = min(32, max(0, console.width - title.count - 12))
    let full = min(width, done * width / total)
    let bar = String(repeating: "█", count: full) + String(repeating: "░", count: width - full)
    console.passing("   \(title) \(bar) \(min(100, done * 100 / total)) %")
  }

  func end() { console.passing("") }
}
