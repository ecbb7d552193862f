/// Completions of a word.
struct Candidates: Equatable {
  /// The position of the word's first character.
  var start = 0
  var words: [String] = []

  /// The common prefix of all words.
  var commonStart: String {
    guard var common = words.first else { return "" }
    for word in words.dropFirst() {
      common = String(zip(common, word).prefix { $0 == $1 }.map(\.0))
    }
    return common
  }
}

/// The effect of keys on an edited text. It is independent of the terminal.
struct LineEditor {
  enum Outcome: Equatable {
    case edited
    /// Draw everything again on an empty screen.
    case cleared
    /// The key has no effect here.
    case refused
    case finished(String)
    /// Show the plan of this text, and continue editing.
    case explained(String)
    /// Ctrl-C.
    case interrupted
    /// Ctrl-D on an empty line.
    case ended
    /// Ctrl-Z.
    case suspended
  }

  private struct Search {
    var pattern = ""
    /// The index of the found entry in the history.
    var found: Int?
    var before: LineBuffer
  }

  private(set) var buffer = LineBuffer()
  /// Lines that are shown below the text until the next key.
  private(set) var notes: [String] = []
  private let history: [String]
  /// The index of the shown entry; `history.count` is the new text.
  private var place: Int
  /// Edited versions of entries.
  private var edited: [Int: LineBuffer] = [:]
  private var search: Search?
  private let completes: (_ head: String) -> Candidates
  private let isFinished: (String) -> Bool
  var width = 80

  /// - Parameters:
  ///   - history: The entries so far, the newest last.
  ///   - completes: Finds the completions for the text before the cursor.
  ///   - isFinished: Whether Enter ends the text; otherwise it begins a new line.
  init(
    history: [String] = [], completes: @escaping (_ head: String) -> Candidates = { _ in Candidates() },
    isFinished: @escaping (String) -> Bool = { _ in true }
  ) {
    self.history = history
    self.completes = completes
    self.isFinished = isFinished
    place = history.count
  }

  /// The prompt while the history is searched; otherwise nil.
  var searchPrompt: String? {
    search.map { "(\($0.found == nil && !$0.pattern.isEmpty ? "not found" : "search") '\($0.pattern)') " }
  }

  /// The final state on the screen: the cursor at the end, and nothing below the text.
  var atEnd: LineEditor {
    var last = self
    last.buffer.moveToEnd()
    (last.notes, last.search) = ([], nil)
    return last
  }

  mutating func handle(_ key: Keystroke) -> Outcome {
    notes = []
    if search != nil, let outcome = searching(key) { return outcome }
    switch key {
    case .text(let text), .paste(let text): buffer.insert(text)
    case .enter:
      if isFinished(buffer.text) {
        buffer.moveToEnd()
        return .finished(buffer.text)
      }
      buffer.moveToEnd()
      buffer.insert("\n")
    case .alt("\n"): buffer.insert("\n")
    case .tab: return complete()
    case .backspace, .control("h"): buffer.deleteBackward()
    case .delete: buffer.deleteForward()
    case .left, .control("b"): buffer.moveLeft()
    case .right, .control("f"): buffer.moveRight()
    case .home, .control("a"): buffer.moveToLineStart()
    case .end, .control("e"): buffer.moveToLineEnd()
    case .wordLeft, .alt("b"): buffer.moveWordLeft()
    case .wordRight, .alt("f"): buffer.moveWordRight()
    case .up, .control("p"): return buffer.moveUp() || show(place - 1) ? .edited : .refused
    case .down, .control("n"): return buffer.moveDown() || show(place + 1) ? .edited : .refused
    case .pageUp, .alt("<"): return show(0) ? .edited : .refused
    case .pageDown, .alt(">"): return show(history.count) ? .edited : .refused
    case .control("k"): buffer.killToLineEnd()
    case .control("u"): buffer.killToLineStart()
    case .control("w"): buffer.killBlankWordBackward()
    case .altBackspace: buffer.killWordBackward()
    case .alt("d"): buffer.killWordForward()
    case .control("y"): buffer.insertKilled()
    case .alt("y"): buffer.insertEarlierKilled()
    case .control("t"): buffer.transpose()
    case .control("_"): buffer.undo()
    case .control("l"): return .cleared
    case .control("r"): search = Search(before: buffer)
    case .control("c"): return .interrupted
    case .control("z"): return .suspended
    case .control("d"):
      if buffer.isEmpty { return .ended }
      buffer.deleteForward()
    case .function(2), .alt("e"): return .explained(buffer.text)
    default: return .refused
    }
    return .edited
  }

  // MARK: History

  private mutating func show(_ next: Int) -> Bool {
    guard next != place, (0...history.count).contains(next) else { return false }
    edited[place] = buffer
    place = next
    if let kept = edited[next] {
      buffer = kept
    } else {
      var other = buffer
      other.set(next < history.count ? history[next] : "")
      buffer = other
    }
    return true
  }

  /// Handles a key during a search; nil if the key ends the search and has its normal effect.
  private mutating func searching(_ key: Keystroke) -> Outcome? {
    guard var now = search else { return nil }
    switch key {
    case .text(let text):
      now.pattern += text
      return find(&now, from: now.found ?? history.count - 1)
    case .backspace, .control("h"):
      guard !now.pattern.isEmpty else { return .refused }
      now.pattern.removeLast()
      return find(&now, from: history.count - 1)
    case .control("r"): return find(&now, from: (now.found ?? history.count) - 1)
    case .control("g"), .escape, .control("c"):
      buffer = now.before
      search = nil
      return .edited
    default:
      if let found = now.found {
        edited[place] = now.before
        place = found
      }
      search = nil
      return nil
    }
  }

  private mutating func find(_ now: inout Search, from start: Int) -> Outcome {
    let pattern = now.pattern
    let found = pattern.isEmpty ? nil : history.indices.prefix(start + 1).last { history[$0].contains(pattern) }
    if let found {
      now.found = found
      buffer.set(history[found])
    } else if start >= history.count - 1 {
      now.found = nil
    }
    search = now
    return found == nil && !pattern.isEmpty ? .refused : .edited
  }

  // MARK: Completion

  private mutating func complete() -> Outcome {
    let found = completes(buffer.head)
    guard !found.words.isEmpty, found.start <= buffer.cursor else { return .refused }
    let common = found.commonStart
    if common.count > buffer.cursor - found.start || found.words.count == 1 {
      buffer.replace(from: found.start, with: common)
      return .edited
    }
    notes = Self.columns(found.words, width: width)
    return .edited
  }

  /// Words side by side, in as many columns as fit.
  static func columns(_ words: [String], width: Int, most: Int = 120) -> [String] {
    let shown = words.prefix(most).map { SafeText.line($0) }
    let widest = (shown.map { TextWidth.columns($0) }.max() ?? 0) + 2
    let across = max(1, width / widest)
    let rows = (shown.count + across - 1) / across
    var lines = (0..<rows).map { row in
      stride(from: row, to: shown.count, by: rows).map { TextWidth.fit(shown[$0], widest) }.joined()
    }
    if words.count > most { lines.append("and \(words.count - most) more") }
    return lines
  }
}
