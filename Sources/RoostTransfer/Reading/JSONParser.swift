internal import RoostRecords

/// Splits one JSON value into tokens, without recursion.
struct JSONParser {
  private enum Expected {
    case value, valueOrEnd, name, nameOrEnd, colon, commaOrEnd
  }

  /// The text ends before the value does.
  struct Unfinished: Error {}

  private let batch: RecordBatch
  private let bytes: UnsafePointer<UInt8>
  private let end: Int
  private let limits: TransferLimits
  private var at: Int

  init(_ batch: RecordBatch, _ range: Range<Int>, limits: TransferLimits) {
    self.batch = batch
    bytes = batch.text.start
    at = range.lowerBound
    end = range.upperBound
    self.limits = limits
    batch.open.removeAll(keepingCapacity: true)
  }

  /// Adds the tokens of a value, and returns the position after it.
  mutating func parse() throws -> Int {
    var expected = Expected.value
    repeat {
      skipSpace()
      guard at < end else { throw Unfinished() }
      let byte = bytes[at]
      switch expected {
      case .valueOrEnd where byte == UInt8(ascii: "]"), .nameOrEnd where byte == UInt8(ascii: "}"),
        .commaOrEnd where byte == closing:
        close()
        expected = .commaOrEnd
      case .value, .valueOrEnd: expected = try value(byte)
      case .name, .nameOrEnd:
        guard byte == Byte.quote else { throw Blemish(.syntax, "a name in quotes is expected", at: at) }
        try text(.name)
        expected = .colon
      case .colon:
        guard byte == Byte.colon else { throw Blemish(.syntax, "':' is expected after a name", at: at) }
        at += 1
        expected = .value
      case .commaOrEnd:
        guard byte == Byte.comma else {
          throw Blemish(.syntax, "',' or '\(Character(Unicode.Scalar(closing)))' is expected", at: at)
        }
        at += 1
        expected = batch.tokens[batch.open[batch.open.count - 1]].kind == .object ? .name : .value
      }
    } while !batch.open.isEmpty
    return at
  }

  private var closing: UInt8 {
    guard let last = batch.open.last else { return 0 }
    return batch.tokens[last].kind == .object ? UInt8(ascii: "}") : UInt8(ascii: "]")
  }

  private mutating func skipSpace() {
    while at < end, bytes[at] == 0x20 || bytes[at] == 0x0A || bytes[at] == 0x0D || bytes[at] == 0x09 { at += 1 }
  }

  private mutating func value(_ byte: UInt8) throws -> Expected {
    switch byte {
    case UInt8(ascii: "{"):
      try begin(.object)
      return .nameOrEnd
    case UInt8(ascii: "["):
      try begin(.list)
      return .valueOrEnd
    case Byte.quote: try text(.text)
    case UInt8(ascii: "t"): try word("true", .yes)
    case UInt8(ascii: "f"): try word("false", .no)
    case UInt8(ascii: "n"): try word("null", .null)
    case Byte.minus, 0x30...0x39: try number()
    default: throw Blemish(.syntax, "a value is expected", at: at)
    }
    return .commaOrEnd
  }

  private mutating func begin(_ kind: Token.Kind) throws {
    if batch.open.count == limits.depth {
      throw Blemish(.tooLarge, "it is more than \(limits.depth) levels deep", at: at)
    }
    batch.open.append(batch.tokens.count)
    batch.tokens.append(Token(kind: kind, place: at, start: at, count: 0))
    at += 1
  }

  private mutating func close() {
    batch.tokens.append(Token(kind: .end, place: at, start: at, count: 0))
    at += 1
    let first = batch.open.removeLast()
    batch.tokens[first].count = batch.tokens.count - first - 1
  }

  private mutating func word(_ word: StaticString, _ kind: Token.Kind) throws {
    for offset in 0..<word.utf8CodeUnitCount {
      guard at + offset < end else { throw Unfinished() }
      guard bytes[at + offset] == word.utf8Start[offset] else {
        throw Blemish(.syntax, "a value is expected: true, false and null are the only words", at: at)
      }
    }
    batch.tokens.append(Token(kind: kind, place: at, start: at, count: word.utf8CodeUnitCount))
    at += word.utf8CodeUnitCount
  }

  private mutating func number() throws {
    let start = at
    func wrong(_ place: Int) -> Blemish { Blemish(.syntax, "this is not a JSON number", at: place) }
    if bytes[at] == Byte.minus { at += 1 }
    guard at < end else { throw Unfinished() }
    if bytes[at] == Byte.zero {
      at += 1
      if at < end, Byte.isDigit(bytes[at]) { throw wrong(start) }
    } else {
      try digits(wrong)
    }
    if at < end, bytes[at] == Byte.point {
      at += 1
      try digits(wrong)
    }
    if at < end, bytes[at] | 0x20 == UInt8(ascii: "e") {
      at += 1
      if at < end, bytes[at] == Byte.plus || bytes[at] == Byte.minus { at += 1 }
      try digits(wrong)
    }
    if at == end { throw Unfinished() }
    if at - start > limits.fieldBytes {
      throw Blemish(.tooLarge, "a number has more than \(limits.fieldBytes) bytes; the limit can be raised", at: start)
    }
    batch.tokens.append(Token(kind: .number, place: start, start: start, count: at - start))
  }

  private mutating func digits(_ wrong: (Int) -> Blemish) throws {
    guard at < end else { throw Unfinished() }
    guard Byte.isDigit(bytes[at]) else { throw wrong(at) }
    while at < end, Byte.isDigit(bytes[at]) { at += 1 }
  }

  // MARK: Texts

  private mutating func text(_ kind: Token.Kind) throws {
    var token = Token(kind: kind, place: at, start: at + 1, count: 0)
    at += 1
    var piece = at
    let (quote, backslash) = (ByteScan.every(Byte.quote), ByteScan.every(Byte.backslash))
    while true {
      at = ByteScan.skip(bytes, start: at, end: end) {
        ByteScan.equal($0, quote) | ByteScan.equal($0, backslash) | ByteScan.controls($0)
      }
      guard at < end else { throw Unfinished() }
      let byte = bytes[at]
      if byte == Byte.quote { break }
      if byte < 0x20 {
        throw Blemish(.syntax, "a text contains a control character; write a newline as \\n", at: at)
      }
      if byte != Byte.backslash {
        at &+= 1
        continue
      }
      if !token.isRespelled { (token.isRespelled, token.start) = (true, batch.spelled.count) }
      try batch.spelled.append(UnsafeRawBufferPointer(start: bytes + piece, count: at - piece))
      try escape()
      piece = at
    }
    if token.isRespelled {
      try batch.spelled.append(UnsafeRawBufferPointer(start: bytes + piece, count: at - piece))
      token.count = batch.spelled.count - token.start
    } else {
      token.count = at - token.start
    }
    at += 1
    if token.count > limits.fieldBytes {
      throw Blemish(
        .tooLarge, "a text has more than \(limits.fieldBytes) bytes; the limit can be raised", at: token.place)
    }
    batch.tokens.append(token)
  }

  private mutating func escape() throws {
    guard at + 1 < end else { throw Unfinished() }
    let plain: UInt8? =
      switch bytes[at + 1] {
      case Byte.quote, Byte.backslash, UInt8(ascii: "/"): bytes[at + 1]
      case UInt8(ascii: "b"): 0x08
      case UInt8(ascii: "f"): 0x0C
      case UInt8(ascii: "n"): Byte.newline
      case UInt8(ascii: "r"): Byte.carriageReturn
      case UInt8(ascii: "t"): 0x09
      default: nil
      }
    if let plain {
      try batch.spelled.append(plain)
      at += 2
      return
    }
    guard bytes[at + 1] == UInt8(ascii: "u") else {
      throw Blemish(.syntax, "this escape sequence is unknown", at: at)
    }
    let start = at
    var code = try unit()
    if code & 0xFC00 == 0xD800 {
      guard at + 1 < end else { throw Unfinished() }
      guard bytes[at] == Byte.backslash, bytes[at + 1] == UInt8(ascii: "u") else { throw half(start) }
      let low = try unit()
      guard low & 0xFC00 == 0xDC00 else { throw half(start) }
      code = 0x10000 + (code & 0x3FF) << 10 + low & 0x3FF
    }
    guard let scalar = Unicode.Scalar(code) else { throw half(start) }
    for byte in String(scalar).utf8 { try batch.spelled.append(byte) }
  }

  private func half(_ place: Int) -> Blemish {
    Blemish(.encoding, "half of a surrogate pair is not a character", at: place)
  }

  /// The four digits after `\u`.
  private mutating func unit() throws -> UInt32 {
    guard at + 6 <= end else { throw Unfinished() }
    var code: UInt32 = 0
    for place in at + 2..<at + 6 {
      guard let digit = Character(Unicode.Scalar(bytes[place])).hexDigitValue else {
        throw Blemish(.syntax, "four hexadecimal digits are expected after \\u", at: at)
      }
      code = code << 4 | UInt32(digit)
    }
    at += 6
    return code
  }
}
