/// The positions of an edited text's rows, and of the cursor, on a screen.
///
/// It breaks rows itself, so that it knows the position of the cursor whatever the terminal does at
/// its right edge.
struct EditScreen: Equatable {
  /// The rows from the top, each at most as wide as the screen.
  private(set) var rows: [String] = [""]
  private(set) var cursorRow = 0
  private(set) var cursorColumn = 0
  private var column = 0
  private let width: Int

  /// Lays out a text.
  ///
  /// - Parameters:
  ///   - prompt: The text before the first line.
  ///   - continuation: The text before each other line.
  init(_ buffer: LineBuffer, prompt: String, continuation: String, width: Int) {
    self.width = max(width, 8)
    put(prompt)
    for (place, character) in buffer.characters.enumerated() {
      if place == buffer.cursor { markCursor(nextWidth: Self.columns(character)) }
      if character == "\n" {
        rows.append("")
        column = 0
        put(continuation)
      } else {
        put(SafeText.line(String(character)))
      }
    }
    if buffer.cursor == buffer.characters.count { markCursor(nextWidth: 1) }
  }

  private static func columns(_ character: Character) -> Int {
    character == "\n" ? 1 : TextWidth.columns(SafeText.line(String(character)))
  }

  /// The cursor is on the next row if the next character does not fit on this one.
  private mutating func markCursor(nextWidth: Int) {
    if column + min(nextWidth, width) > width { (rows, column) = (rows + [""], 0) }
    (cursorRow, cursorColumn) = (rows.count - 1, column)
  }

  private mutating func put(_ text: String) {
    for character in text {
      let needed = TextWidth.columns(character)
      if column + needed > width { (rows, column) = (rows + [""], 0) }
      rows[rows.count - 1].append(character)
      column += needed
    }
  }

  /// Adds lines below the text, such as completions. They are cut at the edge.
  mutating func append(_ lines: [String]) {
    for line in lines {
      let safe = SafeText.line(line)
      rows.append(TextWidth.columns(safe) > width ? TextWidth.fit(safe, width) : safe)
    }
  }

  /// Keeps the rows around the cursor that a screen of this height can show.
  mutating func fit(height: Int) {
    guard rows.count > height, height > 0 else { return }
    let first = max(0, min(cursorRow - height / 2, rows.count - height))
    rows = Array(rows[first..<(first + height)])
    cursorRow -= first
  }

  /// The bytes that make a terminal show this instead of its present content.
  ///
  /// - Parameter former: The row of the cursor in the present content.
  func paint(over former: Int) -> String {
    var text = "\r"
    if former > 0 { text += "\u{1B}[\(former)A" }
    text += "\u{1B}[J" + rows.joined(separator: "\r\n") + "\r"
    let up = rows.count - 1 - cursorRow
    if up > 0 { text += "\u{1B}[\(up)A" }
    if cursorColumn > 0 { text += "\u{1B}[\(cursorColumn)C" }
    return text
  }
}
