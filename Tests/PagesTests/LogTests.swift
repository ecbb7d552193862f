import RoostBytes
import RoostFile
import RoostTestSupport
import Testing

@testable import RoostPages

/// The log's writer, and the reader's view of its output.
@Suite struct LogTests {
  private let fileSystem = SimulatedFileSystem()
  private let file: any StorageFile
  private let log: Log
  private let start: Superblock.LogStart

  init() throws {
    file = try fileSystem.open("/a-log", .writeOrCreate)
    let header = LogFileHeader(segmentBytes: 4096, storeHigh: 1, storeLow: 2, processID: 3)
    try file.write(header.encoded(), at: 0)
    let numbers = Numbers(seed: 5)
    log = Log(file: file, segmentBytes: 4096, storeHigh: 1, storeLow: 2, position: 100) { numbers.next() }
    start = try log.beginSegment()
  }

  private func superblock(_ start: Superblock.LogStart) -> Superblock {
    Superblock(
      identityHigh: 1, identityLow: 2, sequence: 1, snapshot: .empty, freeMap: .none, pageCount: 2, log: start)
  }

  private func append(_ bytes: [UInt8]) throws(StoreError) {
    try log.append(bytes.count).copyMemory(from: bytes, byteCount: bytes.count)
  }

  /// Whole records, and the bytes after the last of them.
  private func records(from start: Superblock.LogStart? = nil) throws -> (whole: [[UInt8]], open: [UInt8], end: LogEnd)
  {
    let start = start ?? self.start
    var reader = try LogReader(file: file, superblock: superblock(start), start: start)
    defer { reader.close() }
    var whole: [[UInt8]] = []
    var open: [UInt8] = []
    var end = reader.end
    while let (frame, payload) = try reader.next() {
      open += payload
      if frame.kind == .commit {
        whole.append(open)
        open = []
        end = reader.end
      }
    }
    let wholeEnd = reader.position
    #expect(try reader.findDamage(after: wholeEnd) == nil)
    return (whole, open, end)
  }

  @Test(arguments: UInt64(1)...4) func `records are read back over many segments`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    var model: [[UInt8]] = []
    for _ in 0..<60 {
      var record: [UInt8] = []
      for _ in 0...generator.below(5) {
        let piece = generator.bytes(1 + generator.below(log.largestAppend))
        try append(piece)
        record += piece
      }
      let end = try log.commit(flags: 0)
      #expect(end == log.end)
      model.append(record)
    }
    let found = try records()
    #expect(found.whole == model)
    #expect(found.end.position == log.end)
    #expect(found.end.visited.count > 10)
  }

  @Test(arguments: UInt64(1)...12) func `going back removes what was appended since, flushed or not`(seed: UInt64)
    throws
  {
    var generator = SplitMix64(seed: seed)
    var model: [[UInt8]] = []
    for _ in 0..<40 {
      var record: [UInt8] = []
      let begin = try log.mark()
      for _ in 0...generator.below(4) {
        let mark = try log.mark()
        let before = record
        for _ in 0..<generator.below(8) {
          let piece = generator.bytes(1 + generator.below(700))
          try append(piece)
          record += piece
        }
        if generator.chance(1, in: 2) {
          log.goBack(to: mark)
          record = before
        }
      }
      if generator.chance(1, in: 4) {
        log.goBack(to: begin)
      } else {
        try append([7])
        _ = try log.commit(flags: 0)
        model.append(record + [7])
      }
      let found = try records()
      #expect(found.whole == model, "seed \(seed)")
      #expect(found.end.position == log.end, "seed \(seed)")
    }
    // The steps back freed the segments that the removed records had entered.
    #expect(log.usedBytes / 4096 == (try records().end.visited.count))
  }

  @Test func `segments are used again after they were retired`() throws {
    var from = start
    for round in 0..<50 {
      for _ in 0..<20 {
        try append([UInt8](repeating: UInt8(round), count: 300))
        _ = try log.commit(flags: 0)
      }
      from = try log.beginSegment()
      log.retire(before: from.position)
      #expect(log.usedBytes == 4096)
      try append([UInt8(round)])
      _ = try log.commit(flags: 0)
      #expect(try records(from: from).whole == [[UInt8(round)]])
    }
    #expect(log.segmentCount <= 8)
    #expect(
      failure { () throws(StoreError) in
        _ = try LogReader(file: file, superblock: superblock(start), start: start)
      } == .logMissing)
  }

  /// Before the fix, if a cut removed a segment that the superblock before the newest references,
  /// the log ended there without an error.
  @Test(arguments: UInt64(1)...20) func `a cut leaves the segments of both superblocks`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    var (older, newest) = (start, start)
    var (sinceOlder, sinceNewest): ([[UInt8]], [[UInt8]]) = ([], [])
    for _ in 0..<30 {
      for _ in 0..<generator.pick([0, 1, 3, 60]) {
        let mark = try log.mark()
        let record = generator.bytes(1 + generator.below(900))
        try append(record)
        if generator.chance(1, in: 5) {
          log.goBack(to: mark)
          continue
        }
        _ = try log.commit(flags: 0)
        if generator.chance(1, in: 2) { log.claim(log.end) }
        sinceOlder.append(record)
        sinceNewest.append(record)
      }
      log.claim(log.end)
      (older, newest) = (newest, try log.beginSegment(leavingUnused: generator.chance(1, in: 3)))
      (sinceOlder, sinceNewest) = (sinceNewest, [])
      log.retire(before: newest.position)
      log.cut(to: 2, reachedFrom: older.position)
      #expect(try file.size() >= 4096 + UInt64(log.segmentCount * 4096))
      #expect(try records(from: newest).whole == [])
      #expect(try records(from: older).whole == sinceOlder, "seed \(seed)")
    }
    // Without records, two uses of two segments are left.
    for _ in 0..<3 {
      (older, newest) = (newest, try log.beginSegment(leavingUnused: true))
      log.retire(before: newest.position)
      log.cut(to: 2, reachedFrom: older.position)
    }
    #expect(log.segmentCount <= 4)
    #expect(try file.size() == 4096 + UInt64(log.segmentCount * 4096))
  }

  @Test(arguments: [FaultRule.Effect.error(ErrorNumber.io), .errorAfterEffect(ErrorNumber.io)])
  func `a failed cut leaves a log that can continue`(effect: FaultRule.Effect) throws {
    for _ in 0..<40 {
      try append([UInt8](repeating: 1, count: 900))
      _ = try log.commit(flags: 0)
    }
    for _ in 0..<2 {
      let next = try log.beginSegment(leavingUnused: true)
      log.retire(before: next.position)
    }
    let next = try log.beginSegment(leavingUnused: true)
    log.retire(before: next.position)
    fileSystem.inject(FaultRule(.truncate, effect))
    log.cut(to: 2, reachedFrom: next.position)
    fileSystem.clearFaults()
    #expect(log.segmentCount <= 4)
    let model = (UInt8(0)..<60).map { [UInt8](repeating: $0, count: 700) }
    for record in model {
      try append(record)
      _ = try log.commit(flags: 0)
    }
    #expect(try records(from: next).whole == model)
  }

  @Test func `an erased record is not read, nor any after it`() throws {
    try append([1, 2, 3])
    _ = try log.commit(flags: 0)
    let mark = try log.mark()
    try append([4, 5, 6])
    _ = try log.commit(flags: 0)
    #expect(try records().whole == [[1, 2, 3], [4, 5, 6]])
    try log.erase(from: mark)
    log.goBack(to: mark)
    #expect(try records().whole == [[1, 2, 3]])
    try append([9])
    _ = try log.commit(flags: 0)
    #expect(try records().whole == [[1, 2, 3], [9]])
  }

  /// A commit failed after its write had reached the file. Before the fix, its erased first frame
  /// was a link, and the next record began with the same link. A crash right after that link
  /// restored the failed commit.
  @Test(arguments: 1...8) func `an erased record does not come back by the link of the next one`(words: Int) throws {
    let record = [UInt8](repeating: 7, count: words * 120)
    var model: [[UInt8]] = []
    for _ in 0..<40 {
      let mark = try log.mark()
      try append(record)
      _ = try log.commit(flags: 0)
      try log.erase(from: mark)
      log.goBack(to: mark)
      // The machine stops after each write of the next record.
      var found: [[[UInt8]]] = []
      fileSystem.onStep = { step in
        if step.kind == .write, let whole = try? records().whole { found.append(whole) }
      }
      try append(record)
      _ = try log.commit(flags: 0)
      fileSystem.onStep = nil
      #expect(found.dropLast().allSatisfy { $0 == model })
      model.append(record)
      #expect(found.last == model)
    }
  }

  /// Before the fix, a link whose write failed stayed in the buffer. The next record followed it,
  /// where no reader looks.
  @Test(arguments: [0, 1, 2]) func `a segment that could not be started leaves the log as it was`(nth: Int) throws {
    try append([1])
    _ = try log.commit(flags: 0)
    fileSystem.inject(FaultRule(.write, nth: nth + 1, .error(ErrorNumber.io)))
    let begun = failure { () throws(StoreError) in _ = try log.beginSegment() }
    fileSystem.clearFaults()
    #expect(begun == .ioError)
    try append([2])
    _ = try log.commit(flags: 0)
    #expect(try records().whole == [[1], [2]])
    let next = try log.beginSegment()
    try append([3])
    _ = try log.commit(flags: 0)
    #expect(try records().whole == [[1], [2], [3]])
    #expect(try records(from: next).whole == [[3]])
  }

  @Test func `a full disk in the middle of a record leaves the log as it was`() throws {
    for _ in 0..<30 {
      try append([UInt8](repeating: 1, count: 200))
      _ = try log.commit(flags: 0)
    }
    let before = try records()
    fileSystem.capacity = try file.size()
    let mark = try log.mark()
    let code = failure { () throws(StoreError) in
      for _ in 0..<200 { try append([UInt8](repeating: 2, count: 900)) }
    }
    #expect(code == .diskFull)
    log.goBack(to: mark)
    #expect(try records().whole == before.whole)
    try append([3])
    _ = try log.commit(flags: 0)
    #expect(try records().whole == before.whole + [[3]])
  }

  @Test func `each flipped byte ends the log there or is noticed`() throws {
    for index in UInt8(0)..<6 {
      log.claim(log.end)
      try append([UInt8](repeating: index, count: 900))
      _ = try log.commit(flags: 0)
    }
    let whole = try records().whole
    let bytes = try file.bytes(Int(file.size()))
    for offset in stride(from: 4096, to: bytes.count, by: 61) {
      try file.write([bytes[offset] ^ 8], at: UInt64(offset))
      defer { _ = failure { () throws(StoreError) in try file.write([bytes[offset]], at: UInt64(offset)) } }
      do throws(StoreError) {
        var reader = try LogReader(file: file, superblock: superblock(start), start: start)
        defer { reader.close() }
        var count = 0
        while let (_, payload) = try reader.next() {
          #expect(payload.elementsEqual(whole[count]))
          count += 1
        }
        // Only the last record may be lost without an error: nothing says that it was synced.
        if try reader.findDamage(after: reader.position) == nil {
          #expect(count >= whole.count - 1, "offset \(offset)")
        }
      } catch { #expect(error.code == .logDamaged, "offset \(offset)") }
    }
  }

  @Test func `hostile positions do not overflow`() throws {
    var header = [UInt8](repeating: 0, count: 4096)
    header.withUnsafeMutableBytes {
      SegmentHeader(storeHigh: 1, storeLow: 2, salt: 9, superblock: 0, previous: 0, position: .max - 8)
        .write(to: $0.baseAddress!, segmentBytes: 4096)
    }
    try append([1])
    _ = try log.commit(flags: 0)
    try file.write(header, at: 4096 + 4096)
    #expect(try records().whole == [[1]])
  }
}
