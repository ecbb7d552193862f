import Foundation
import RoostFile

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reads keys and lines from the terminal of this process.
final class TerminalPrompt {
  let mode: TerminalMode
  private var decoder = KeyDecoder()
  private var waiting: [Keystroke] = []
  /// The time after which a lone Escape is a key of its own.
  private static let escapeMilliseconds: Int32 = 50

  /// nil if standard input or output is no terminal.
  init?() {
    guard isatty(1) == 1, let mode = TerminalMode(0) else { return nil }
    self.mode = mode
  }

  /// Edits a text until a key ends that.
  ///
  /// Afterwards the terminal has the mode of a running statement.
  ///
  /// - Parameter explains: Shows the plan of a text.
  func edit(
    _ editor: LineEditor, prompt: String, explains: (String) -> Void
  ) throws -> LineEditor.Outcome {
    var editor = editor
    try mode.enterRaw()
    defer {
      send("\u{1B}[?2004l")
      try? mode.enterRunning()
    }
    send("\u{1B}[?2004h")
    var row = draw(editor, prompt, over: 0)
    while true {
      guard let key = nextKey() else {
        if isClosed { return .ended }
        // The size of the screen changed, or the program continued after a stop.
        row = draw(editor, prompt, over: row)
        continue
      }
      editor.width = mode.size.columns
      let outcome = editor.handle(key)
      switch outcome {
      case .edited: break
      case .refused: send("\u{7}")
      case .cleared:
        send("\u{1B}[H\u{1B}[2J")
        row = 0
      case .suspended:
        leave(editor, prompt, over: row)
        mode.suspend()
        _ = mode.takeRedraw()
        try mode.enterRaw()
        send("\u{1B}[?2004h")
        row = 0
      case .explained(let text):
        leave(editor, prompt, over: row)
        try mode.enterRunning()
        explains(text)
        try mode.enterRaw()
        send("\u{1B}[?2004h")
        row = 0
      case .interrupted:
        leave(editor, prompt, over: row, mark: "^C")
        return outcome
      case .finished, .ended:
        leave(editor, prompt, over: row)
        return outcome
      }
      row = draw(editor, prompt, over: row)
    }
  }

  /// Waits for one key, in raw mode. nil at the end of the input.
  func key() throws -> Keystroke? {
    try mode.enterRaw()
    defer { try? mode.enterRunning() }
    while true {
      if let key = nextKey() { return key }
      if isClosed { return nil }
    }
  }

  // MARK: Drawing

  private func draw(_ editor: LineEditor, _ prompt: String, over row: Int) -> Int {
    let size = mode.size
    let shown = editor.searchPrompt ?? prompt
    let continuation = String(repeating: " ", count: max(0, TextWidth.columns(prompt) - 2)) + "> "
    var screen = EditScreen(editor.buffer, prompt: shown, continuation: continuation, width: size.columns)
    screen.append(editor.notes)
    screen.fit(height: size.rows)
    send(screen.paint(over: row))
    return screen.cursorRow
  }

  /// Leaves the text on the screen, with the cursor on the line after it.
  private func leave(_ editor: LineEditor, _ prompt: String, over row: Int, mark: String = "") {
    _ = draw(editor.atEnd, prompt, over: row)
    send(mark + "\r\n")
  }

  private func send(_ text: String) {
    let bytes = Array(text.utf8)
    try? bytes.withUnsafeBytes { try ByteStream.standardOutput.write($0) }
  }

  // MARK: Reading

  private(set) var isClosed = false

  /// The next key; nil if the screen must be drawn again, or the input has ended.
  private func nextKey() -> Keystroke? {
    while waiting.isEmpty {
      if mode.takeRedraw() { return nil }
      var places = [
        pollfd(fd: 0, events: Int16(POLLIN), revents: 0),
        pollfd(fd: mode.wakeDescriptor, events: Int16(POLLIN), revents: 0),
      ]
      let count = poll(&places, 2, decoder.isWaiting ? Self.escapeMilliseconds : -1)
      if count == 0 {
        waiting = decoder.flush()
        continue
      }
      if count < 0 {
        if errno == EINTR { continue }
        isClosed = true
        return nil
      }
      // Only the screen must be drawn again.
      if places[0].revents == 0 { continue }
      var bytes = [UInt8](repeating: 0, count: 4096)
      let taken = read(0, &bytes, bytes.count)
      if taken > 0 {
        waiting = decoder.feed(bytes.prefix(taken))
      } else if taken == 0 || errno != EINTR {
        isClosed = true
        return nil
      }
    }
    return waiting.removeFirst()
  }
}
