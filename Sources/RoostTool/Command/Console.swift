import Foundation

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
  private let hasColours: Bool
  private let sink: (Stream, String) -> Void

  init(isTerminal: Bool, hasColours: Bool, sink: @escaping (Stream, String) -> Void) {
    self.isTerminal = isTerminal
    self.hasColours = hasColours
    self.sink = sink
  }

  /// The one of this process.
  static func standard(_ environment: [String: String]) -> Console {
    let isTerminal = isatty(1) == 1 && environment["TERM"] != "dumb"
    let hasColours = isTerminal && (environment["NO_COLOR"] ?? "").isEmpty
    return Console(isTerminal: isTerminal, hasColours: hasColours) { stream, text in
      Console.put(text, to: stream == .output ? 1 : 2)
    }
  }

  private static func put(_ text: String, to descriptor: Int32) {
    var text = text
    text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while let start = rest.baseAddress, rest.count > 0 {
        let count = write(descriptor, start, rest.count)
        if count < 0 && errno == EINTR { continue }
        if count <= 0 { return }
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      }
    }
  }

  /// This console, or one like it that shows no progress, where a program reads what is printed.
  func quiet(_ isQuiet: Bool) -> Console {
    isQuiet ? Console(isTerminal: false, hasColours: false, sink: sink) : self
  }

  // MARK: Words

  func line(_ text: String = "") { sink(.output, text + "\n") }

  func error(_ text: String) { sink(.errors, text + "\n") }

  /// Text that a terminal shows in a style.
  func styled(_ text: String, _ style: Style) -> String {
    hasColours ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }

  /// Labels and what they say, in two columns.
  func facts(_ rows: [(String, String)]) {
    let width = rows.map(\.0.count).max() ?? 0
    for (label, text) in rows {
      let padded = label + String(repeating: " ", count: width - label.count + 2)
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
    let width = 32
    let full = min(width, done * width / total)
    let bar = String(repeating: "█", count: full) + String(repeating: "░", count: width - full)
    console.passing("   \(title) \(bar) \(done * 100 / total) %")
  }

  func end() { console.passing("") }
}
