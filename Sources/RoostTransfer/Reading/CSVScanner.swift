internal import RoostRecords

/// Parses tables: lines of cells, which are separated by commas or another byte. By default the
/// first line determines that byte.
///
/// A cell may be in quotes, and then contain commas, newlines and doubled quotes. A quote anywhere
/// else is an error. So is a line with another number of cells than the first, except empty cells
/// at its end. A first line `sep=;`, as Excel writes it, names the delimiter. Lines end with a
/// newline, with or without a carriage return before it.
struct CSVScanner: RecordScanner {
  /// The byte between cells; nil before the first line was read.
  private(set) var delimiter: UInt8?
  let limits: TransferLimits
  /// The number of cells in a line; nil before the first line.
  private(set) var columns: Int?
  private(set) var line = 1
  /// Whether the first line was examined.
  private var hasBegun = false

  init(delimiter: UInt8?, columns: Int? = nil, limits: TransferLimits) {
    self.delimiter = delimiter
    self.columns = columns
    self.limits = limits
  }

  mutating func scan(_ batch: RecordBatch, from beginning: Int, isEnd: Bool) throws -> Int {
    var start = beginning
    if !hasBegun {
      guard let length = separatorLine(batch, from: start, isEnd: isEnd) else { return start }
      hasBegun = true
      if length > 0 { (start, line) = (start + length, line + 1) }
    }
    guard let delimiter = delimiter ?? foundDelimiter(batch, from: start, isEnd: isEnd) else { return start }
    self.delimiter = delimiter
    var at = start
    while at < batch.text.count, !batch.isFull {
      let first = batch.tokens.count
      do {
        guard let end = try cells(batch, from: at, delimiter, isEnd: isEnd) else {
          batch.tokens.removeSubrange(first...)
          return at
        }
        finish(batch, first, bytes: at..<end)
        line += batch.newlines(in: at..<end)
        at = end
      } catch let blemish as Blemish {
        // The next record is assumed to begin after the line with the error.
        let found = batch.newline(from: max(blemish.place, at)).map { $0 + 1 }
        guard let end = found ?? (isEnd ? batch.text.count : nil) else {
          batch.tokens.removeSubrange(first...)
          return at
        }
        batch.add(blemish, tokensFrom: first, bytes: at..<end, line: line)
        line += batch.newlines(in: at..<end)
        at = end
      }
    }
    return at
  }

  /// The delimiter of the first line: the one of comma, semicolon and tab that occurs most often
  /// outside quotes; a comma if none occurs. If the number of columns is known, a delimiter that
  /// gives this number is preferred. Nil if the line is not complete yet.
  private func foundDelimiter(_ batch: RecordBatch, from start: Int, isEnd: Bool) -> UInt8? {
    let candidates = [Byte.comma, UInt8(ascii: ";"), UInt8(ascii: "\t")]
    // One column needs no delimiter, and its texts may contain any of them.
    if columns == 1 { return Byte.comma }
    var (counts, isQuoted, isWhole, isEmpty) = ([0, 0, 0], false, isEnd, true)
    // Whether a quote opens a cell: at the cell's first byte, and after a quote that closed one.
    // Any other quote is a byte of its cell.
    var mayOpen = true
    for byte in batch.text.bytes[start...] {
      let opens = mayOpen
      mayOpen =
        byte == Byte.quote
        ? isQuoted : !isQuoted && (candidates.contains(byte) || byte == Byte.newline || byte == Byte.carriageReturn)
      if byte == Byte.quote {
        isQuoted = !isQuoted && opens
      } else if !isQuoted, byte == Byte.newline || byte == Byte.carriageReturn {
        if isEmpty { continue }
        isWhole = true
        break
      } else if !isQuoted, let place = candidates.firstIndex(of: byte) {
        counts[place] += 1
      }
      isEmpty = false
    }
    guard isWhole else { return nil }
    if let columns, let place = counts.firstIndex(of: columns - 1) { return candidates[place] }
    return candidates.indices.max { counts[$0] < counts[$1] || counts[$0] == counts[$1] && $0 > $1 }.map {
      candidates[$0]
    }
  }

  /// The length of a first line `sep=;` or `"sep=;"`, which is not a record; 0 if there is none,
  /// and nil if more text is needed.
  private mutating func separatorLine(_ batch: RecordBatch, from start: Int, isEnd: Bool) -> Int? {
    let head = Array(batch.text.bytes[start...].prefix(9))
    let quote = head.first == Byte.quote ? [Byte.quote] : []
    let word = quote + Array("sep=".utf8)
    guard zip(head, word).allSatisfy({ $0 == $1 || $0 == $1 & 0xDF }) else { return 0 }
    let length = word.count + 1 + quote.count
    // The newline after it can be two bytes.
    if head.count < length + 2, !isEnd { return nil }
    guard head.count >= length, head[word.count + 1..<length].elementsEqual(quote) else { return 0 }
    let sign = head[word.count]
    let isSign =
      sign == UInt8(ascii: "\t")
      || (0x21..<0x7F).contains(sign) && !Character(Unicode.Scalar(sign)).isLetter && sign != Byte.quote
    let end = Array(head[length...])
    guard isSign, end.isEmpty || end[0] == Byte.newline || end[0] == Byte.carriageReturn else { return 0 }
    if delimiter == nil { delimiter = sign }
    return length + (end.starts(with: [Byte.carriageReturn, Byte.newline]) ? 2 : min(1, end.count))
  }

  /// Removes empty cells at the end of a line. Spreadsheets write them for columns that were used
  /// once.
  private func trim(_ batch: RecordBatch, _ first: Int) {
    let least = first + (columns ?? 1)
    while batch.tokens.count > least, let last = batch.tokens.last, last.kind == .bare, last.count == 0 {
      batch.tokens.removeLast()
    }
  }

  /// Checks that a line has as many cells as the first one, and is valid UTF-8.
  private mutating func finish(_ batch: RecordBatch, _ first: Int, bytes: Range<Int>) {
    trim(batch, first)
    let count = batch.tokens.count - first
    // An empty line is ignored, unless it can be the single cell of a line.
    if count == 1, batch.tokens[first].count == 0, batch.tokens[first].kind == .bare, columns != 1 {
      batch.tokens.removeLast()
      return
    }
    if let wrong = UTF8Check.firstWrong(UnsafeRawBufferPointer(rebasing: batch.text.bytes[bytes])) {
      let blemish = Blemish(.encoding, "the text is not UTF-8", at: bytes.lowerBound + wrong)
      return batch.add(blemish, tokensFrom: first, bytes: bytes, line: line)
    }
    if let columns, columns != count {
      let blemish = Blemish(
        .columns, "there are \(count) cells, and \(columns) in the first line", at: bytes.lowerBound)
      return batch.add(blemish, tokensFrom: first, bytes: bytes, line: line)
    }
    columns = count
    batch.add(tokensFrom: first, bytes: bytes, line: line)
  }

  /// Adds the cells of one line, and returns the position after it; nil if the line is not
  /// complete.
  private func cells(_ batch: RecordBatch, from start: Int, _ delimiter: UInt8, isEnd: Bool) throws -> Int? {
    let (bytes, end) = (batch.text.start, batch.text.count)
    let (delimiters, newline) = (ByteScan.every(delimiter), ByteScan.every(Byte.newline))
    let (quote, carriageReturn) = (ByteScan.every(Byte.quote), ByteScan.every(Byte.carriageReturn))
    var at = start
    var count = 0
    while true {
      count += 1
      if count > limits.columns { throw Blemish(.tooLarge, "there are more than \(limits.columns) cells", at: at) }
      var cell = Token(kind: .bare, place: at, start: at, count: 0)
      if at < end, bytes[at] == Byte.quote {
        guard let (next, found) = try quoted(batch, from: at, isEnd: isEnd) else { return nil }
        (at, cell) = (next, found)
      } else {
        at = ByteScan.skip(bytes, start: at, end: end) { word in
          ByteScan.equal(word, delimiters) | ByteScan.equal(word, newline) | ByteScan.equal(word, carriageReturn)
            | ByteScan.equal(word, quote) | ByteScan.equal(word, 0)
        }
        while at < end {
          let byte = bytes[at]
          if byte == delimiter || byte == Byte.newline || byte == Byte.carriageReturn { break }
          if byte == Byte.quote {
            throw Blemish(.syntax, "a quote is in a cell that does not begin with one", at: at)
          }
          if byte == 0 { throw Blemish(.syntax, "the text contains a NUL", at: at) }
          at &+= 1
        }
        cell.count = at - cell.start
      }
      if cell.count > limits.fieldBytes {
        throw Blemish(
          .tooLarge, "a cell has more than \(limits.fieldBytes) bytes; the limit can be raised", at: cell.place)
      }
      batch.tokens.append(cell)
      if at == end { return isEnd ? end : nil }
      switch bytes[at] {
      case delimiter: at += 1
      case Byte.newline: return at + 1
      case Byte.carriageReturn:
        if at + 1 < end { return bytes[at + 1] == Byte.newline ? at + 2 : at + 1 }
        return isEnd ? end : nil
      default: throw Blemish(.syntax, "a delimiter or a newline is expected after the quote that ends a cell", at: at)
      }
    }
  }

  /// Reads a cell in quotes, and returns the position after it; nil if the cell is not complete.
  private func quoted(_ batch: RecordBatch, from start: Int, isEnd: Bool) throws -> (Int, Token)? {
    let (bytes, end) = (batch.text.start, batch.text.count)
    var at = start + 1
    var cell = Token(kind: .text, place: start, start: at, count: 0)
    var piece = at
    let quote = ByteScan.every(Byte.quote)
    while true {
      at = ByteScan.skip(bytes, start: at, end: end) { ByteScan.equal($0, quote) | ByteScan.equal($0, 0) }
      guard at < end else { break }
      let byte = bytes[at]
      if byte == 0 { throw Blemish(.syntax, "the text contains a NUL", at: at) }
      if byte != Byte.quote {
        at += 1
        continue
      }
      // At the end of the text another quote may follow.
      if at + 1 == end, !isEnd { return nil }
      let isDoubled = at + 1 < end && bytes[at + 1] == Byte.quote
      if isDoubled || cell.isRespelled {
        if !cell.isRespelled { (cell.isRespelled, cell.start) = (true, batch.spelled.count) }
        try batch.spelled.append(UnsafeRawBufferPointer(start: bytes + piece, count: at - piece + (isDoubled ? 1 : 0)))
      }
      if isDoubled {
        at += 2
        piece = at
        continue
      }
      cell.count = cell.isRespelled ? batch.spelled.count - cell.start : at - cell.start
      return (at + 1, cell)
    }
    if isEnd { throw Blemish(.truncated, "the quote that begins this cell is never closed", at: start) }
    if end - start > limits.recordBytes {
      throw Blemish(.tooLarge, "a record has more than \(limits.recordBytes) bytes; the limit can be raised", at: start)
    }
    return nil
  }
}
