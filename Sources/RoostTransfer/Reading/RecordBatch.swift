package import RoostRecords

/// A part of a record's text.
package struct Token: Hashable, Sendable {
  package enum Kind: UInt8, Sendable {
    /// A cell of a table without quotes.
    case bare
    /// A text, without its quotes and escapes.
    case text
    /// The name of the next value in an object.
    case name
    case number, yes, no, null
    case object, list
    /// The end of an object or of a list.
    case end
  }

  package var kind: Kind
  /// Whether the bytes are in `spelled`, because the input has escapes there.
  package var isRespelled = false
  /// The position of its beginning in the batch's text.
  package var place: Int
  /// The offset of its bytes; meaningless for an object or list.
  package var start: Int
  /// The number of its bytes. For an object or list: the number of tokens after it up to and
  /// including its end.
  package var count: Int
}

/// Records that were read together: their text, and its tokens. It is reused.
///
/// ## Invariants
/// 1. The tokens of a record are consecutive, in the order of the text.
/// 2. The bytes of a token are in `text`, or in `spelled` if it is respelled.
package final class RecordBatch: @unchecked Sendable {
  // Unchecked because a batch is passed from one stage to the next, and only one has it at a time.
  package struct Record: Sendable {
    package var tokens: Range<Int>
    /// The range of the record in the text.
    package var bytes: Range<Int>
    package var line: Int
    /// The error in the record, if any; it has no tokens then.
    package var fault: TransferFault?
  }

  @exclusivity(unchecked) package internal(set) var text: TextRoom
  @exclusivity(unchecked) package internal(set) var spelled: TextRoom
  @exclusivity(unchecked) package internal(set) var tokens: [Token] = []
  @exclusivity(unchecked) package internal(set) var records: [Record] = []
  /// The tokens of the objects and lists that a parser has not closed yet.
  @exclusivity(unchecked) var open: [Int] = []
  /// The number of bad records.
  @exclusivity(unchecked) var faults = 0
  /// The number of bytes of the input that were read for this batch and those before it.
  package internal(set) var inputEnd: UInt64 = 0

  package init() throws {
    text = try TextRoom(room: 1 << 18)
    spelled = try TextRoom(room: 1 << 12)
  }

  func clear() {
    text.clear()
    spelled.clear()
    tokens.removeAll(keepingCapacity: true)
    records.removeAll(keepingCapacity: true)
    faults = 0
  }

  /// Whether the next record belongs in another batch, whatever the size of the text: an error
  /// needs more memory than its line.
  var isFull: Bool { records.count >= 1 << 15 || faults >= 1000 }

  /// The bytes of a token, valid until the batch is filled again.
  package func bytes(_ token: Token) -> UnsafeRawBufferPointer {
    let start = token.isRespelled ? spelled.start : text.start
    return UnsafeRawBufferPointer(start: start + token.start, count: token.count)
  }

  package func string(_ token: Token) -> String { String(decoding: bytes(token), as: UTF8.self) }

  /// Removes blanks from both ends of a cell without quotes. Returns false if it has none.
  @discardableResult
  func trim(_ number: Int) -> Bool {
    let token = tokens[number]
    guard token.kind == .bare, token.count > 0 else { return false }
    let bytes = bytes(token)
    if bytes[0] != Byte.space, bytes[token.count - 1] != Byte.space { return false }
    let start = bytes.firstIndex { $0 != Byte.space } ?? token.count
    let end = bytes.lastIndex { $0 != Byte.space }.map { $0 + 1 } ?? start
    tokens[number].start += start
    tokens[number].count = end - start
    return true
  }

  /// The text of a token for a message: at most forty characters.
  func shown(_ token: Token) -> String {
    switch token.kind {
    case .bare, .text: return Self.shortened(string(token)).debugDescription
    case .number, .name: return Self.shortened(string(token))
    case .yes: return "true"
    case .no: return "false"
    case .null: return "null"
    case .end: return "nothing"
    case .object, .list:
      guard let at = tokens.firstIndex(where: { $0.place == token.place && $0.kind == token.kind }) else { return "" }
      let end = min(tokens[at + token.count].place + 1, token.place + 200)
      let shown = String(decoding: text.bytes[token.place..<end], as: UTF8.self)
      return Self.shortened(String(shown.prefix { !$0.isNewline }))
    }
  }

  private static func shortened(_ text: String) -> String {
    let start = text.prefix(40)
    return start.endIndex == text.endIndex ? text : String(start) + "…"
  }

  package func bytes(of record: Record) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: text.bytes[record.bytes])
  }

  /// An error in a record, with its line, its column and its text.
  package func fault(
    _ code: TransferFault.Code, _ detail: String, at place: Int, in record: Record, field: String? = nil
  ) -> TransferFault {
    var (line, column) = (record.line, 1)
    for byte in text.bytes[record.bytes.lowerBound..<max(place, record.bytes.lowerBound)] {
      if byte == Byte.newline { (line, column) = (line + 1, 1) } else { column += 1 }
    }
    var fault = TransferFault(code, detail, line: line, column: column, field: field)
    fault.record = Array(text.bytes[record.bytes])
    return fault
  }
}

enum Byte {
  static let newline = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
  static let quote = UInt8(ascii: "\"")
  static let backslash = UInt8(ascii: "\\")
  static let space = UInt8(ascii: " ")
  static let comma = UInt8(ascii: ",")
  static let colon = UInt8(ascii: ":")
  static let minus = UInt8(ascii: "-")
  static let plus = UInt8(ascii: "+")
  static let point = UInt8(ascii: ".")
  static let zero = UInt8(ascii: "0")

  static func isDigit(_ byte: UInt8) -> Bool { byte &- zero < 10 }
}
