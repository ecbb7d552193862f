import RoostTestSupport
import Testing

@testable import RoostTool

/// The parts of the line editor, without a terminal.
@Suite struct LineEditorTests {
  private func keys(_ text: String) -> [Keystroke] {
    var decoder = KeyDecoder()
    return decoder.feed(text.utf8) + decoder.flush()
  }

  private func edited(_ keys: String, in start: String = "", history: [String] = []) -> LineBuffer {
    var editor = LineEditor(history: history)
    var decoder = KeyDecoder()
    if !start.isEmpty { _ = editor.handle(.text(start)) }
    for key in decoder.feed(keys.utf8) { _ = editor.handle(key) }
    return editor.buffer
  }

  // MARK: Keys

  @Test(arguments: [
    ("a", [Keystroke.text("a")]), ("é日🎵", [.text("é"), .text("日"), .text("🎵")]), ("\r", [.enter]),
    ("\u{7F}", [.backspace]),
    ("\u{1}\u{1F}", [.control("a"), .control("_")]), ("\u{1B}[A\u{1B}OB", [.up, .down]), ("\u{1B}[3~", [.delete]),
    ("\u{1B}[1;5C\u{1B}[1;3D", [.wordRight, .wordLeft]), ("\u{1B}OQ\u{1B}[12~", [.function(2), .function(2)]),
    ("\u{1B}[[B", [.function(2)]), ("\u{1B}e\u{1B}\u{7F}\u{1B}\r", [.alt("e"), .altBackspace, .alt("\n")]),
    ("\u{1B}[1~\u{1B}[8~", [.home, .end]), ("\u{1B}", [.escape]), ("\u{1B}[Z", [.backTab]),
    // Unknown sequences are skipped completely.
    ("\u{1B}[?1;2c\u{1B}[99;99;99zx", [.text("x")]), ("\u{1B}[<0;3;4Mx", [.enter, .text("x")]),
    ("\u{1B}[200~a\r\n\tb\u{1B}[31mc\u{7}\u{202E}\r\u{1B}[201~d", [.paste("a\n  bc"), .text("d")]),
  ])
  func `bytes become keys`(_ bytes: String, _ wanted: [Keystroke]) {
    #expect(keys(bytes) == wanted)
    // Pieces of one byte give the same keys.
    var decoder = KeyDecoder()
    var found: [Keystroke] = []
    for byte in bytes.utf8 { found += decoder.feed([byte]) }
    #expect(found + decoder.flush() == wanted)
  }

  @Test func `the decoder works after any bytes`() {
    var random = SplitMix64(seed: 20_261_130)
    for _ in 0..<300 {
      var decoder = KeyDecoder()
      let bytes = (0..<200).map { _ in
        random.next() % 3 == 0 ? UInt8(0x1B) : UInt8(truncatingIfNeeded: random.next())
      }
      for key in decoder.feed(bytes) + decoder.flush() {
        if case .text(let text) = key { #expect(text.unicodeScalars.allSatisfy { !($0.value < 0x20) }) }
      }
      // A paste may be open, or any sequence.
      _ = decoder.feed("\u{1B}[201~".utf8)
      _ = decoder.flush()
      #expect(decoder.feed("x".utf8).last == .text("x"), "\(bytes)")
    }
  }

  // MARK: Editing

  @Test(arguments: [
    ("abc\u{1}x", "xabc", 1), ("abc\u{2}\u{2}\u{7F}", "bc", 0), ("one two\u{17}", "one ", 4),
    ("one.two \u{1B}\u{7F}", "one.", 4), ("one two\u{1}\u{1B}d", " two", 0), ("abc\u{2}\u{14}", "acb", 3),
    ("one two\u{17}\u{17}\u{19}", "one two", 7), ("abc\u{1}\u{B}\u{19}\u{19}", "abcabc", 6),
    ("abc\u{1}\u{4}", "bc", 0), ("a\u{1B}\rb\u{10}\u{5}x", "ax\nb", 2), ("abc\u{15}\u{1F}", "abc", 3),
    ("one two\u{1B}b\u{B}\u{1}\u{B}\u{19}\u{1B}y", "two", 3), ("👨‍👩‍👧é\u{7F}\u{7F}", "", 0),
    ("e\u{301}\u{2}x", "xe\u{301}", 1),
  ])
  func `keys change the text`(_ keys: String, _ text: String, _ cursor: Int) {
    let buffer = edited(keys)
    #expect(buffer.text == text && buffer.cursor == cursor, "\(buffer.text) \(buffer.cursor)")
  }

  @Test func `random keys keep the cursor in the text`() {
    var random = SplitMix64(seed: 7)
    let alphabet = Array(
      "ab (\"日e\u{301}🎵\n\u{1}\u{2}\u{4}\u{5}\u{6}\u{B}\u{E}\u{10}\u{14}\u{15}\u{17}\u{19}\u{1F}\u{7F}\r\u{12}")
    for _ in 0..<200 {
      var editor = LineEditor(history: ["one", "two\nthree"], isFinished: StatementScanner.isFinished)
      for _ in 0..<60 {
        let key = alphabet[Int(random.next() % UInt64(alphabet.count))]
        for key in keys(String(key)) { _ = editor.handle(key) }
        let buffer = editor.buffer
        #expect((0...buffer.characters.count).contains(buffer.cursor))
        #expect(buffer.text.count == buffer.characters.count, "\(buffer.text.debugDescription)")
        let screen = EditScreen(buffer, prompt: "x> ", continuation: " > ", width: 11)
        #expect(screen.rows.allSatisfy { TextWidth.columns($0) <= 11 } && screen.cursorColumn <= 11)
        #expect(screen.rows.indices.contains(screen.cursorRow))
      }
    }
  }

  @Test func `the history keeps edited lines, and the new line`() {
    var editor = LineEditor(history: ["one", "two"])
    for key in keys("new\u{10}!\u{10}\u{E}") { _ = editor.handle(key) }
    #expect(editor.buffer.text == "two!")
    for key in keys("\u{E}") { _ = editor.handle(key) }
    #expect(editor.buffer.text == "new")
    #expect(editor.handle(.down) == .refused)
  }

  @Test func `a search goes back, and Ctrl-G leaves it`() {
    var editor = LineEditor(history: ["Track where a", "Album", "Track where b"])
    for key in keys("x\u{12}where") { _ = editor.handle(key) }
    #expect(editor.buffer.text == "Track where b" && editor.searchPrompt == "(search 'where') ")
    #expect(editor.handle(.control("r")) == .edited && editor.buffer.text == "Track where a")
    #expect(editor.handle(.control("r")) == .refused && editor.buffer.text == "Track where a")
    #expect(editor.handle(.control("g")) == .edited && editor.buffer.text == "x")
    for key in keys("\u{12}zz") { _ = editor.handle(key) }
    #expect(editor.searchPrompt == "(not found 'zz') ")
    #expect(editor.handle(.left) == .edited && editor.buffer.text == "x" && editor.searchPrompt == nil)
  }

  // MARK: The screen

  @Test func `wide characters and long lines are laid out as a terminal shows them`() {
    var buffer = LineBuffer("日本語日本語\nab")
    let screen = EditScreen(buffer, prompt: "p> ", continuation: " > ", width: 9)
    #expect(screen.rows == ["p> 日本語", "日本語", " > ab"])
    #expect(screen.cursorRow == 2 && screen.cursorColumn == 5)
    buffer.move(to: 3)
    let middle = EditScreen(buffer, prompt: "p> ", continuation: " > ", width: 9)
    #expect(middle.cursorRow == 1 && middle.cursorColumn == 0)
    #expect(middle.paint(over: 2) == "\r\u{1B}[2A\u{1B}[Jp> 日本語\r\n日本語\r\n > ab\r\u{1B}[1A")
    let full = EditScreen(LineBuffer("123456"), prompt: "p> ", continuation: " > ", width: 9)
    #expect(full.rows == ["p> 123456", ""] && full.cursorRow == 1 && full.cursorColumn == 0)
    var tall = EditScreen(LineBuffer("a\nb\nc\nd\ne"), prompt: "", continuation: "", width: 9)
    tall.fit(height: 3)
    #expect(tall.rows == ["c", "d", "e"] && tall.cursorRow == 2)
    // Invisible characters are shown with Swift's escapes.
    #expect(EditScreen(LineBuffer("a\u{202E}b"), prompt: "", continuation: "", width: 40).rows == ["a\\u{202e}b"])
  }

  @Test func `completion inserts the common prefix, and then lists the candidates`() {
    var editor = LineEditor(completes: { head in
      Candidates(start: head.count - 2, words: ["place", "plays"].filter { $0.hasPrefix(head.suffix(2)) })
    })
    _ = editor.handle(.text("pl"))
    #expect(editor.handle(.tab) == .edited && editor.buffer.text == "pla" && editor.notes.isEmpty)
    editor = LineEditor(completes: { _ in Candidates(start: 0, words: ["one", "two", "a\u{1B}"]) })
    #expect(editor.handle(.tab) == .edited && editor.notes == ["one      two      a\\u{1b}  "], "\(editor.notes)")
    #expect(editor.handle(.text("x")) == .edited && editor.notes.isEmpty)
    #expect(LineEditor.columns((0..<200).map { "w\($0)" }, width: 20).last == "and 80 more")
  }
}
