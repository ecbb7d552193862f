/// The text that a user edits, and its cursor.
///
/// It counts characters as users see them: a letter with its accents is one, and so is a family of
/// emoji. The text can have several lines.
///
/// ## Invariants
/// 1. The cursor is within `0...characters.count`.
/// 2. At most ``mostKilled`` cut texts are kept.
struct LineBuffer: Equatable {
  private(set) var characters: [Character] = []
  private(set) var cursor = 0
  /// Texts that were cut, the newest last.
  private(set) var killed: [String] = []
  /// The position of the last inserted cut text: its index in `killed`, and its beginning in the
  /// text.
  private var yank: Yank?
  /// Whether the last edit was a cut; the next one is added to it.
  private var isKilling = false
  /// Former texts for undo, the newest last.
  private var past: [Moment] = []

  private struct Yank: Equatable {
    var ring: Int
    var start: Int
  }

  private struct Moment: Equatable {
    var characters: [Character]
    var cursor: Int
  }

  static let mostKilled = 16
  private static let mostPast = 200
  /// The longest text.
  static let mostCharacters = 1 << 20

  init(_ text: String = "") {
    characters = Array(text)
    cursor = characters.count
  }

  var text: String { String(characters) }
  var isEmpty: Bool { characters.isEmpty }
  /// The text before the cursor.
  var head: String { String(characters[..<cursor]) }

  // MARK: Inserting

  /// Inserts at the cursor. It may combine with the neighbouring characters.
  mutating func insert(_ text: String) {
    guard !text.isEmpty, characters.count + text.count <= Self.mostCharacters else { return }
    note()
    let tail = Array(characters[cursor...])
    let joined = Array(String(characters[..<cursor]) + text)
    cursor = joined.count
    characters = joined + tail
    rejoin()
  }

  /// Replaces the text between a position and the cursor.
  mutating func replace(from start: Int, with text: String) {
    let start = max(0, min(start, cursor))
    note()
    let tail = characters[cursor...]
    let head = Array(String(characters[..<start]) + text)
    cursor = head.count
    characters = head + tail
    rejoin()
  }

  /// Replaces the whole text, and moves the cursor to its end.
  mutating func set(_ text: String) {
    note()
    characters = Array(text.prefix(Self.mostCharacters))
    cursor = characters.count
  }

  /// A combining mark after the cursor becomes a part of the character before it.
  private mutating func rejoin() {
    guard cursor > 0, cursor < characters.count else { return }
    let pair = String(characters[cursor - 1]) + String(characters[cursor])
    guard pair.count == 1 else { return }
    characters.replaceSubrange((cursor - 1)...cursor, with: Array(pair))
  }

  // MARK: Moving

  mutating func moveLeft() { move(to: cursor - 1) }
  mutating func moveRight() { move(to: cursor + 1) }
  mutating func moveToLineStart() { move(to: lineStart(cursor)) }
  mutating func moveToLineEnd() { move(to: lineEnd(cursor)) }
  mutating func moveWordLeft() { move(to: wordStart) }
  mutating func moveWordRight() { move(to: wordEnd) }
  mutating func moveToStart() { move(to: 0) }
  mutating func moveToEnd() { move(to: characters.count) }

  /// Moves to the same column of the line above, or to its end. Returns false if there is none.
  mutating func moveUp() -> Bool {
    let start = lineStart(cursor)
    guard start > 0 else { return false }
    let above = lineStart(start - 1)
    move(to: min(above + cursor - start, start - 1))
    return true
  }

  /// Moves to the line below. Returns false if there is none.
  mutating func moveDown() -> Bool {
    let end = lineEnd(cursor)
    guard end < characters.count else { return false }
    let column = cursor - lineStart(cursor)
    move(to: min(end + 1 + column, lineEnd(end + 1)))
    return true
  }

  mutating func move(to place: Int) {
    cursor = max(0, min(place, characters.count))
    (yank, isKilling) = (nil, false)
  }

  private func lineStart(_ place: Int) -> Int {
    var at = place
    while at > 0, characters[at - 1] != "\n" { at -= 1 }
    return at
  }

  private func lineEnd(_ place: Int) -> Int {
    var at = place
    while at < characters.count, characters[at] != "\n" { at += 1 }
    return at
  }

  private static func isWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_"
  }

  private var wordStart: Int {
    var at = cursor
    while at > 0, !Self.isWord(characters[at - 1]) { at -= 1 }
    while at > 0, Self.isWord(characters[at - 1]) { at -= 1 }
    return at
  }

  private var wordEnd: Int {
    var at = cursor
    while at < characters.count, !Self.isWord(characters[at]) { at += 1 }
    while at < characters.count, Self.isWord(characters[at]) { at += 1 }
    return at
  }

  // MARK: Deleting

  mutating func deleteBackward() { remove(max(0, cursor - 1)..<cursor) }
  mutating func deleteForward() { remove(cursor..<min(characters.count, cursor + 1)) }

  /// Cuts to the end of the line. At its end it cuts the line break.
  mutating func killToLineEnd() {
    let end = lineEnd(cursor)
    kill(cursor..<(end == cursor ? min(characters.count, end + 1) : end))
  }

  mutating func killToLineStart() { kill(lineStart(cursor)..<cursor, isBackward: true) }
  mutating func killWordBackward() { kill(wordStart..<cursor, isBackward: true) }
  mutating func killWordForward() { kill(cursor..<wordEnd) }

  /// Cuts back to the previous blank.
  mutating func killBlankWordBackward() {
    var at = cursor
    while at > 0, characters[at - 1].isWhitespace { at -= 1 }
    while at > 0, !characters[at - 1].isWhitespace { at -= 1 }
    kill(at..<cursor, isBackward: true)
  }

  private mutating func remove(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    note()
    characters.removeSubrange(range)
    cursor = range.lowerBound
    rejoin()
  }

  private mutating func kill(_ range: Range<Int>, isBackward: Bool = false) {
    guard !range.isEmpty else { return }
    let text = String(characters[range])
    let goesOn = isKilling
    remove(range)
    if goesOn, let last = killed.popLast() {
      killed.append(isBackward ? text + last : last + text)
    } else {
      killed.append(text)
    }
    if killed.count > Self.mostKilled { killed.removeFirst() }
    isKilling = true
  }

  // MARK: Cut texts and undo

  /// Inserts the last cut text.
  mutating func insertKilled() {
    guard let last = killed.last else { return }
    let start = cursor
    insert(last)
    yank = Yank(ring: killed.count - 1, start: start)
  }

  /// Replaces the text that ``insertKilled()`` inserted by the one that was cut before it.
  mutating func insertEarlierKilled() {
    guard let last = yank else { return }
    let ring = last.ring == 0 ? killed.count - 1 : last.ring - 1
    replace(from: last.start, with: killed[ring])
    yank = Yank(ring: ring, start: last.start)
  }

  /// Exchanges the characters around the cursor.
  mutating func transpose() {
    guard characters.count > 1, cursor > 0 else { return }
    note()
    let place = min(cursor, characters.count - 1)
    characters.swapAt(place - 1, place)
    cursor = place + 1
  }

  mutating func undo() {
    guard let last = past.popLast() else { return }
    (characters, cursor) = (last.characters, last.cursor)
    (yank, isKilling) = (nil, false)
  }

  private mutating func note() {
    past.append(Moment(characters: characters, cursor: cursor))
    if past.count > Self.mostPast { past.removeFirst() }
    (yank, isKilling) = (nil, false)
  }
}
