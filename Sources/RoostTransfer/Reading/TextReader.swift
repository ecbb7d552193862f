internal import RoostRecords

/// How the records stand in a text.
package enum TextFormat: Hashable, Sendable {
  /// A table; the first line names the columns unless `names` does, and tells the delimiter where it is nil.
  case csv(delimiter: UInt8? = UInt8(ascii: ","), names: [String]? = nil)
  /// Objects in one list, or on a line each: the first byte tells.
  case json
  case jsonLines
}

/// The first line of a table.
package struct TableHeader: Hashable, Sendable {
  package var names: [String]
  /// What stands between cells.
  package var delimiter: UInt8
}

/// Reads the records of a text, many at a time.
package final class TextReader {
  /// What the columns of a table are called; nil where records name their fields themselves.
  package private(set) var names: [String]?

  /// The columns of a table and what stands between them, once they are known.
  package var header: TableHeader? {
    guard let names, let table = scanner as? CSVScanner else { return nil }
    return TableHeader(names: names, delimiter: table.delimiter ?? Byte.comma)
  }

  private let input: any ByteInput
  private let limits: TransferLimits
  private var scanner: any RecordScanner
  private let isTable: Bool
  /// What was read and belongs to later batches: it begins behind what was given out already.
  private var carry: TextRoom
  private var carryStart = 0
  private var isInputEnd = false
  private var isFirst = true
  private var inputCount: UInt64 = 0
  /// What is read at once where records are no larger.
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

  /// Fills a batch with at least one record; false at the end.
  ///
  /// - Throws: A fault behind which no record can be found. A record that is wrong by itself says so itself.
  package func next(_ batch: RecordBatch) throws -> Bool { try next(batch, by: nil) == .records }

  package enum Outcome { case records, late, end }

  /// Fills a batch with at least one record, and with those that can be had without waiting.
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
      // What comes is longer than a piece.
      wanted = max(piece, batch.text.count * 2)
      // It is looked at from its beginning, so not at each byte that comes.
      least = batch.text.count < piece ? 1 : max(1, batch.text.count / 4)
    }
    try takeBack(batch, from: at)
    batch.inputEnd = inputCount - UInt64(carry.count - carryStart)
    return batch.records.isEmpty ? .end : .records
  }

  /// Keeps for later what a batch does not need.
  private func takeBack(_ batch: RecordBatch, from place: Int) throws {
    let rest = batch.text.count - place
    // Where nothing was read from the input since, it still stands in front of what comes then.
    if carryStart >= rest { return carryStart -= rest }
    carry.clear()
    carryStart = 0
    try carry.append(UnsafeRawBufferPointer(rebasing: batch.text.bytes[place...]))
  }

  /// Makes the batch's text as long as is wanted, if as much can be had without waiting. False where fewer than `least` bytes came by the
  /// deadline.
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

  /// Looks at the mark that some programs put before a text; returns where the text begins.
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

  /// The first line of a table.
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
