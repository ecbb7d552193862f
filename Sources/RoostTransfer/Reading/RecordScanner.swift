internal import RoostRecords

/// Finds the records in a text, and parses them.
protocol RecordScanner {
  /// The line of the next record.
  var line: Int { get }

  /// Parses the complete records in the batch's text from `start` on, until the batch is full.
  /// Returns the position after them.
  ///
  /// - Parameter isEnd: Whether the text is the end of the input.
  /// - Throws: An error after which no other record can be found.
  mutating func scan(_ batch: RecordBatch, from start: Int, isEnd: Bool) throws -> Int
}

/// Why a record cannot be parsed.
struct Blemish: Error {
  var code: TransferFault.Code
  var detail: String
  var place: Int

  init(_ code: TransferFault.Code, _ detail: String, at place: Int) {
    self.code = code
    self.detail = detail
    self.place = place
  }
}

extension RecordBatch {
  /// Adds a record with the tokens from `first` on.
  func add(tokensFrom first: Int, bytes: Range<Int>, line: Int) {
    records.append(Record(tokens: first..<tokens.count, bytes: bytes, line: line))
  }

  /// Adds a bad record, and removes its tokens.
  func add(_ blemish: Blemish, tokensFrom first: Int, bytes: Range<Int>, line: Int) {
    tokens.removeSubrange(first...)
    var record = Record(tokens: first..<first, bytes: bytes, line: line)
    record.fault = fault(blemish.code, blemish.detail, at: min(blemish.place, text.count), in: record)
    records.append(record)
    faults += 1
  }

  /// The position of the next newline; nil if there is none.
  func newline(from place: Int) -> Int? {
    let (start, end) = (text.start, text.count)
    let newline = ByteScan.every(Byte.newline)
    var at = ByteScan.skip(start, start: place, end: end) { ByteScan.equal($0, newline) }
    while at < end {
      if start[at] == Byte.newline { return at }
      at &+= 1
    }
    return nil
  }

  func newlines(in range: Range<Int>) -> Int {
    ByteScan.newlines(text.start, range)
  }
}
