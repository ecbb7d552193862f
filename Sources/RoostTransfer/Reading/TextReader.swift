internal import RoostRecords

/// The format of the records in a text.
package enum TextFormat: Hashable, Sendable {
  /// A table. The first line names the columns unless `names` does, and determines the delimiter if
  /// it is nil.
  case csv(delimiter: UInt8? = UInt8(ascii: ","), names: [String]? = nil)
  /// Objects in one list, or one on each line: the first byte decides.
  case json
  case jsonLines
}

/// The first line of a table.
package struct TableHeader: Hashable, Sendable {
  package var names: [String]
  /// The byte between cells.
  package var delimiter: UInt8
}

/// Reads the records of a text, many at a time.
package final class TextReader {
  /// The names of the columns of a table; nil if records name their fields themselves.
  package private(set) var names: [String]?

  /// The columns and the delimiter of a table, once they are known.
  package var header: TableHeader? {
    guard let names, let table = scanner as? CSVScanner else { return nil }
    return TableHeader(names: names, delimiter: table.delimiter ?? Byte.comma)
  }

  private let input: any ByteInput
  private let limits: TransferLimits
  private var scanner: any RecordScanner
  private let isTable: Bool
  /// Bytes that were read for later batches. They begin after the bytes that were already returned.
  private var carry: TextRoom
  private var carryStart = 0
  private var isInputEnd = false
  private var isFirst = true
  private var inputCount: UInt64 = 0
  /// The number of bytes to read at once if records are not larger.
  private let piece: Int

  package init(
    _ input: any ByteInput, _ format: TextFormat, limits: TransferLimits = TransferLimits(), piece: Int = 1 << 18
  ) throws {
    self.input = input
    self.limits = limits
    self.piece = max(1, piece)
    carry = try TextRoom(room: 1 << 12)
    switch format {
    case .csv(let delimiter, let names):
      scanner = CSVScanner(delimiter: delimiter, columns: names?.count, limits: limits)
      self.names = names
      isTable = true
      if let names { try Self.check(names, limits) }
    case .json, .jsonLines:
      scanner = JSONScanner(isLines: format == .jsonLines ? true : nil, limits: limits)
      isTable = false
    }
  }

  /// Fills a batch with at least one record. Returns false at the end.
  ///
  /// - Throws: An error after which no record can be found. A bad record contains its own error.
  package func next(_ batch: RecordBatch) throws -> Bool { try next(batch, by: nil) == .records }

  package enum Outcome { case records, late, end }

  /// Fills a batch with at least one record, and with those that can be read without blocking.
  ///
  /// - Parameter deadline: The time at which to stop waiting for the next record of a pipe. `nil` waits without limit.
  package func next(_ batch: RecordBatch, by deadline: ContinuousClock.Instant?) throws -> Outcome {
    batch.clear()
    var (at, wanted, least) = (0, piece, 1)
    while true {
      guard try fill(batch, wanted, least: least, by: deadline) else {
        try takeBack(batch, from: at)
        return .late
      }
      if isFirst { at = try begin(batch) }
      let isEnd = isInputEnd && carryStart == carry.count
      at = try scanner.scan(batch, from: at, isEnd: isEnd)
      if isTable, names == nil { try takeNames(batch) }
      if !batch.records.isEmpty || isEnd { break }
      guard batch.text.count - at <= limits.recordBytes else {
        throw TransferFault(
          .tooLarge, "a record has more than \(limits.recordBytes) bytes; the limit can be raised", line: scanner.line,
          column: 1)
      }
      batch.text.drop(first: at)
      batch.spelled.clear()
      at = 0
      // The next record is longer than a piece.
      wanted = max(piece, batch.text.count * 2)
      // A record is parsed from its beginning each time, so not for each new byte.
      least = batch.text.count < piece ? 1 : max(1, batch.text.count / 4)
    }
    try takeBack(batch, from: at)
    batch.inputEnd = inputCount - UInt64(carry.count - carryStart)
    return batch.records.isEmpty ? .end : .records
  }

  /// Keeps bytes for later that a batch does not need.
  private func takeBack(_ batch: RecordBatch, from place: Int) throws {
    let rest = batch.text.count - place
    // If nothing was read from the input since, the bytes are still there.
    if carryStart >= rest { return carryStart -= rest }
    carry.clear()
    carryStart = 0
    try carry.append(UnsafeRawBufferPointer(rebasing: batch.text.bytes[place...]))
  }

  /// Reads until the batch's text has the wanted length, as far as possible without blocking.
  /// Returns false if fewer than `least` bytes arrived before the deadline.
  private func fill(
    _ batch: RecordBatch, _ wanted: Int, least: Int, by deadline: ContinuousClock.Instant?
  ) throws -> Bool {
    let kept = max(0, min(carry.count - carryStart, wanted - batch.text.count))
    var more = kept
    if kept > 0 {
      try batch.text.append(UnsafeRawBufferPointer(rebasing: carry.bytes[carryStart..<carryStart + kept]))
      carryStart += kept
    }
    if carryStart < carry.count || isInputEnd || batch.text.count >= wanted { return true }
    carry.clear()
    carryStart = 0
    while !isInputEnd, batch.text.count < wanted {
      if more >= least {
        if !input.isReady(by: .now) { break }
      } else if let deadline, !input.isReady(by: deadline) {
        return false
      }
      let room = try batch.text.room(min(wanted - batch.text.count, 1 << 20))
      let count = try input.read(into: UnsafeMutableRawBufferPointer(rebasing: room.prefix(wanted - batch.text.count)))
      if count == 0 { isInputEnd = true }
      batch.text.add(count)
      more += count
      inputCount += UInt64(count)
    }
    return true
  }

  /// Checks for the byte order mark before a text. Returns the position after it.
  private func begin(_ batch: RecordBatch) throws -> Int {
    while batch.text.count < 4, !isInputEnd { _ = try fill(batch, 4, least: 1, by: nil) }
    isFirst = false
    let head = Array(batch.text.bytes.prefix(4))
    if head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF]) {
      throw TransferFault(.encoding, "the text is UTF-16 or UTF-32: convert it to UTF-8", line: 1, column: 1)
    }
    if UnpackedInput.isFrame(head) || head.starts(with: [0x1F, 0x8B]) || head.starts(with: [0x28, 0xB5, 0x2F, 0xFD])
      || head.starts(with: [0x02, 0x21, 0x4C, 0x18])
    {
      throw TransferFault(
        .encoding, "the input is compressed, but not as an LZ4 frame: decompress it first", line: 1, column: 1)
    }
    return head.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  /// Takes the column names from the first line of a table.
  private func takeNames(_ batch: RecordBatch) throws {
    guard let first = batch.records.first else { return }
    if let fault = first.fault { throw fault }
    let found = batch.tokens[first.tokens].map { batch.string($0) }
    do { try Self.check(found, limits) } catch let fault as TransferFault {
      throw batch.fault(fault.code, fault.detail, at: first.bytes.lowerBound, in: first, field: fault.field)
    }
    names = found
    batch.records.removeFirst()
  }

  private static func check(_ names: [String], _ limits: TransferLimits) throws {
    guard names.count <= limits.columns else {
      throw TransferFault(.tooLarge, "there are more than \(limits.columns) columns")
    }
    var known: Set<String> = []
    for (number, name) in names.enumerated() {
      if name.isEmpty { throw TransferFault(.missing, "column \(number + 1) has no name") }
      if !known.insert(name).inserted { throw TransferFault(.duplicate, "two columns have this name", field: name) }
    }
  }
}
