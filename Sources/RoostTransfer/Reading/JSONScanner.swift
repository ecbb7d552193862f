internal import RoostRecords

/// Parses objects that are on one line each, or in one list.
struct JSONScanner: RecordScanner {
  private enum Stage {
    /// Only blanks were read so far.
    case beginning
    /// Each line is an object.
    case lines
    /// In a list: the next is an object, or in an empty list its end.
    case firstElement, element
    /// After an object of a list.
    case behind
    /// After the list.
    case finished
  }

  let limits: TransferLimits
  private var stage: Stage
  private(set) var line = 1

  /// - Parameter isLines: Nil to decide by the first byte.
  init(isLines: Bool?, limits: TransferLimits) {
    self.limits = limits
    stage = isLines == true ? .lines : .beginning
    isListExpected = isLines == false
  }

  private let isListExpected: Bool

  mutating func scan(_ batch: RecordBatch, from start: Int, isEnd: Bool) throws -> Int {
    var at = start
    while true {
      if stage == .lines { return try lines(batch, from: at, isEnd: isEnd) }
      if batch.isFull { return at }
      let begin = skip(batch, at)
      line += batch.newlines(in: at..<begin)
      at = begin
      guard at < batch.text.count else {
        if isEnd, stage != .finished { throw unfinished(batch, at) }
        return at
      }
      let byte = batch.text.start[at]
      switch stage {
      case .beginning:
        if byte == UInt8(ascii: "[") {
          stage = .firstElement
          at += 1
        } else if isListExpected {
          throw located(batch, Blemish(.syntax, "'[' is expected: a list of objects", at: at))
        } else {
          stage = .lines
        }
      case .firstElement where byte == UInt8(ascii: "]"), .behind where byte == UInt8(ascii: "]"):
        stage = .finished
        at += 1
      case .behind:
        guard byte == Byte.comma else {
          throw located(batch, Blemish(.syntax, "',' or ']' is expected after an object", at: at))
        }
        stage = .element
        at += 1
      case .firstElement, .element:
        guard let end = try element(batch, at, isEnd: isEnd) else { return at }
        line += batch.newlines(in: at..<end)
        at = end
        stage = .behind
      case .finished:
        throw located(batch, Blemish(.syntax, "nothing is allowed after the list", at: at))
      case .lines: break
      }
    }
  }

  private func skip(_ batch: RecordBatch, _ place: Int) -> Int {
    let (bytes, end) = (batch.text.start, batch.text.count)
    var at = place
    while at < end, Self.isSpace(bytes[at]) { at += 1 }
    return at
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

  private func unfinished(_ batch: RecordBatch, _ place: Int) -> TransferFault {
    if stage == .beginning {
      return TransferFault(.truncated, "the input is empty, and a list is expected", line: line)
    }
    return located(batch, Blemish(.truncated, "the list is not closed", at: place))
  }

  /// An error after which no record can be found.
  private func located(_ batch: RecordBatch, _ blemish: Blemish) -> TransferFault {
    let begin = (0..<blemish.place).last { batch.text.start[$0] == Byte.newline }.map { $0 + 1 } ?? 0
    let record = RecordBatch.Record(tokens: 0..<0, bytes: begin..<min(begin + 200, batch.text.count), line: line)
    return batch.fault(blemish.code, blemish.detail, at: blemish.place, in: record)
  }

  /// Parses one object of a list; nil if it is not complete. After an error the beginning of the
  /// next object is unknown.
  private func element(_ batch: RecordBatch, _ start: Int, isEnd: Bool) throws -> Int? {
    let first = batch.tokens.count
    var parser = JSONParser(batch, start..<batch.text.count, limits: limits)
    do {
      let end = try parser.parse()
      if let blemish = Self.blemish(batch, first, bytes: start..<end) {
        batch.add(blemish, tokensFrom: first, bytes: start..<end, line: line)
      } else {
        batch.add(tokensFrom: first, bytes: start..<end, line: line)
      }
      return end
    } catch is JSONParser.Unfinished {
      batch.tokens.removeSubrange(first...)
      if isEnd {
        throw located(batch, Blemish(.truncated, "the input ends in the middle of an object", at: batch.text.count))
      }
      return nil
    } catch let blemish as Blemish {
      batch.tokens.removeSubrange(first...)
      throw located(batch, blemish)
    }
  }

  /// The error in a value whose syntax is valid.
  private static func blemish(_ batch: RecordBatch, _ first: Int, bytes: Range<Int>) -> Blemish? {
    if let wrong = UTF8Check.firstWrong(UnsafeRawBufferPointer(rebasing: batch.text.bytes[bytes])) {
      return Blemish(.encoding, "the text is not UTF-8", at: bytes.lowerBound + wrong)
    }
    if batch.tokens[first].kind != .object {
      return Blemish(.wrongType, "a record must be an object", at: bytes.lowerBound)
    }
    return nil
  }

  private mutating func lines(_ batch: RecordBatch, from start: Int, isEnd: Bool) throws -> Int {
    var at = start
    while at < batch.text.count, !batch.isFull {
      let newline = batch.newline(from: at)
      guard newline != nil || isEnd else { return at }
      let end = newline.map { $0 + 1 } ?? batch.text.count
      defer {
        line += newline == nil ? 0 : 1
        at = end
      }
      let (begin, first) = (skip(batch, at), batch.tokens.count)
      if begin >= end { continue }
      // The parser gets the newline too, so that a number at the end of a line is complete.
      var parser = JSONParser(batch, begin..<end, limits: limits)
      var blemish: Blemish?
      do {
        let close = try parser.parse()
        let rest = skip(batch, close)
        blemish = Self.blemish(batch, first, bytes: begin..<end)
        if rest < end { blemish = Blemish(.syntax, "nothing is allowed after the object", at: rest) }
      } catch is JSONParser.Unfinished {
        blemish = Blemish(.truncated, "the line ends in the middle of an object", at: newline ?? end)
      } catch let found as Blemish { blemish = found }
      if let blemish {
        batch.add(blemish, tokensFrom: first, bytes: at..<end, line: line)
      } else {
        batch.add(tokensFrom: first, bytes: at..<end, line: line)
      }
    }
    return at
  }
}
