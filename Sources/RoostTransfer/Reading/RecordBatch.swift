package import RoostRecords

/// A piece of a record's text.
package struct Token: Hashable, Sendable {
  package enum Kind: UInt8, Sendable {
    /// A cell of a table that stands without quotes.
    case bare
    /// A text, without its quotes and escapes.
    case text
    /// The name of what comes next, in an object.
    case name
    case number, yes, no, null
    case object, list
    /// The end of an object or of a list.
    case end
  }

  package var kind: Kind
  /// Whether the bytes stand in the batch's other spelling, because the input has escapes there.
  package var isRespelled = false
  /// Where it begins in the batch's text.
  package var place: Int
  /// Where its bytes begin. Of an object and of a list nothing.
  package var start: Int
  /// How many bytes it has. Of an object and of a list: the number of tokens behind it up to its end, that one included.
  package var count: Int
}

/// Records that were read together: their text, and what it consists of. Used again and again.
///
/// ## Invariants
/// 1. Of each record the tokens stand together, in the order of the text.
/// 2. The bytes of a token lie in `text`, or in `spelled` if it is respelled.
package final class RecordBatch: @unchecked Sendable {
  // Unchecked because a batch goes from one stage to the next, and only one has it at a time.
  package struct Record: Sendable {
    package var tokens: Range<Int>
    /// Where the record stands in the text.
    package var bytes: Range<Int>
    package var line: Int
    /// What is wrong with the record, if something is; it has no tokens then.
    package var fault: TransferFault?
  }

  @exclusivity(unchecked) package internal(set) var text: TextRoom
  @exclusivity(unchecked) package internal(set) var spelled: TextRoom
  @exclusivity(unchecked) package internal(set) var tokens: [Token] = []
  @exclusivity(unchecked) package internal(set) var records: [Record] = []
  /// The tokens of the objects and lists in which a parser is.
  @exclusivity(unchecked) var open: [Int] = []
  /// How many of the records are wrong.
  @exclusivity(unchecked) var faults = 0
  /// How many bytes of the input were read when this batch was.
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

  /// Whether the next record belongs to another batch, whatever its text holds: a fault takes more memory than its line.
  var isFull: Bool { records.count >= 1 << 15 || faults >= 1000 }

  /// The bytes of a token, as long as the batch is not filled again.
  package func bytes(_ token: Token) -> UnsafeRawBufferPointer {
    let start = token.isRespelled ? spelled.start : text.start
    return UnsafeRawBufferPointer(start: start + token.start, count: token.count)
  }

  package func string(_ token: Token) -> String { String(decoding: bytes(token), as: UTF8.self) }

  /// Takes blanks away from the ends of a cell without quotes; false where it has none.
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

  /// What stands at a token, for a message: no more than forty characters of it.
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

  /// A fault of a record, with its line, its column and its text.
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
