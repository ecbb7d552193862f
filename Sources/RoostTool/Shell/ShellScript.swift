import Foundation
import RoostFile

/// Statements from a file or a pipe.
enum ShellScript {
  struct Statement: Equatable {
    var text: String
    /// The line on which it begins, from 1 on.
    var line: Int
  }

  /// The largest file of statements.
  private static let mostBytes: UInt64 = 64 << 20

  /// Reads the text of a file of statements.
  static func text(of path: String) throws -> String {
    let stream = try ByteStream.reading(path)
    guard let count = stream.byteCount else {
      throw StoreError(.ioError, "this is not a file of statements", path: path)
    }
    guard count <= mostBytes else {
      throw StoreError(.valueTooLarge, "a file of statements has at most 64 MiB", path: path)
    }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw StoreError(.ioError, "cannot be read", path: path)
    }
    if data.contains(0) {
      throw StoreError(
        .ioError, "this is not text: it has a NUL character, at byte \(data.firstIndex(of: 0) ?? 0)", path: path)
    }
    return String(decoding: data, as: UTF8.self)
  }

  /// The statements of a text.
  static func statements(_ text: String) -> [Statement] {
    var collector = StatementCollector()
    var found: [Statement] = []
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      if let statement = collector.add(String(line)) { found.append(statement) }
    }
    if let last = collector.end() { found.append(last) }
    return found
  }
}

/// Joins lines until they are a statement.
struct StatementCollector {
  private var text = ""
  private var first = 1
  private var line = 0
  /// The longest statement; a longer one ends here, even if it is incomplete.
  private static let mostCharacters = 1 << 20

  /// Adds a line. Returns a statement that ends with it.
  mutating func add(_ next: String) -> ShellScript.Statement? {
    line += 1
    var next = next
    // Some editors write a byte order mark before a text.
    if line == 1, next.first == "\u{FEFF}" { next.removeFirst() }
    let isComment = next.drop(while: \.isWhitespace).hasPrefix("//") && !StatementScanner(text).isInQuote
    if isComment { return nil }
    if text.isEmpty { first = line }
    text += (text.isEmpty ? "" : "\n") + next
    guard StatementScanner.isFinished(text) || text.utf8.count > Self.mostCharacters else { return nil }
    return end()
  }

  /// The incomplete statement at the end of the input.
  mutating func end() -> ShellScript.Statement? {
    defer { text = "" }
    let isEmpty = text.allSatisfy(\.isWhitespace)
    return isEmpty ? nil : ShellScript.Statement(text: text, line: first)
  }
}
