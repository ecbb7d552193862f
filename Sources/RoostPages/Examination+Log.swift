package import RoostFile

/// Reads the log of an examined store.
extension Examination {
  /// Gets one piece of a record: its kind and its bytes.
  package typealias TakesPiece = (UInt8, UnsafeRawBufferPointer) throws(StoreError) -> Void

  /// Passes the pieces of every whole record in the log to `body`. Returns the error that ended
  /// reading, if any.
  package func readLog(_ fileSystem: any FileSystem, _ body: TakesPiece) throws(StoreError) -> StoreError? {
    try readRecords(fileSystem) { (record) throws(StoreError) in try record.pieces(body) }
  }

  /// Passes every whole record in the log to `body`. Returns the error that ended reading, if any.
  package func readRecords(
    _ fileSystem: any FileSystem, _ body: (LogRecord) throws(StoreError) -> Void
  ) throws(StoreError) -> StoreError? {
    guard let file else { return nil }
    let path = logPath ?? Store.logPath(file.path)
    guard let superblock else { return try forlornLog(fileSystem, path) }
    guard let start = superblock.log else { return nil }
    do throws(StoreError) {
      guard try fileSystem.exists(path) else {
        return StoreError(.logMissing, "the store was not closed and its log is missing", path: path)
      }
    } catch { return error }
    var failure: StoreError?
    var records = 0
    do throws(StoreError) {
      records = try countRecords(fileSystem, path, superblock: superblock, start: start, failure: &failure)
    } catch {
      return error
    }
    let logFile = try fileSystem.open(path, .read)
    defer { logFile.close() }
    let reader = try LogReader(file: logFile, superblock: superblock, start: start)
    defer { reader.close() }
    let record = LogRecord(reader)
    for _ in 0..<records {
      try body(record)
      try record.skip()
    }
    return failure
  }

  /// Reads the log at this path instead of the one beside the store. It must belong to the store,
  /// and the store must not have been closed.
  package func useLog(_ path: String, _ fileSystem: any FileSystem) throws(StoreError) {
    let log = try fileSystem.open(path, .read)
    defer { log.close() }
    guard let header = try LogReader.fileHeader(log) else {
      throw StoreError(.logDamaged, "the log's header is damaged", path: path, offset: 0)
    }
    if let superblock {
      let (own, other) = (
        StoreID(high: superblock.identityHigh, low: superblock.identityLow),
        StoreID(high: header.storeHigh, low: header.storeLow)
      )
      guard own == other else {
        throw StoreError(.logMissing, "the log belongs to the store \(other), and this store is \(own)", path: path)
      }
      guard superblock.log != nil else {
        throw StoreError(.logMissing, "the store was closed, so no log belongs to it any more", path: path)
      }
    }
    logPath = path
  }

  /// The error for a log without a superblock: it is useless, because it holds only changes since a
  /// superblock.
  private func forlornLog(_ fileSystem: any FileSystem, _ path: String) throws(StoreError) -> StoreError? {
    guard let logFile = try? fileSystem.open(path, .read) else { return nil }
    defer { logFile.close() }
    guard let size = try? logFile.size(), size > 0 else { return nil }
    return StoreError(
      .logDamaged, "both superblocks are lost, so the beginning of the log is unknown, and the log is not used",
      path: path)
  }

  /// Counts the closed records, and detects damage after them.
  private func countRecords(
    _ fileSystem: any FileSystem, _ path: String, superblock: Superblock, start: Superblock.LogStart,
    failure: inout StoreError?
  ) throws(StoreError) -> Int {
    let logFile = try fileSystem.open(path, .read)
    defer { logFile.close() }
    var reader = try LogReader(file: logFile, superblock: superblock, start: start)
    defer { reader.close() }
    var pieces = PieceReader()
    var count = 0
    while let (frame, payload) = try reader.next() {
      let isCommit = frame.kind == .commit
      do throws(StoreError) {
        try pieces.read(isCommit ? Store.body(payload, reader) : payload, isLast: isCommit) { _, _ in }
      } catch {
        failure = error
        return count
      }
      if isCommit { count += 1 }
    }
    if let synced = try reader.findDamage(after: reader.position) {
      failure = StoreError(
        .logDamaged, "the log is damaged at position \(reader.position), and was synced up to \(synced)", path: path)
    }
    return count
  }
}

/// A whole record of a log. It can be read several times.
package final class LogRecord {
  private var reader: LogReader
  /// The reader's state at the begin of the record.
  private var begin: LogReader
  private var isTouched = false
  private var isAtEnd = false

  fileprivate init(_ reader: LogReader) {
    self.reader = reader
    begin = reader
  }

  /// Passes its pieces to `take`, beginning with the first one.
  package func pieces(_ take: Examination.TakesPiece) throws(StoreError) {
    if isTouched { try reader.goBack(to: begin) }
    (isTouched, isAtEnd) = (true, false)
    var pieces = PieceReader()
    while !isAtEnd, let (frame, payload) = try reader.next() {
      let isCommit = frame.kind == .commit
      try pieces.read(isCommit ? Store.body(payload, reader) : payload, isLast: isCommit, take)
      isAtEnd = isCommit
    }
  }

  /// Moves the reader to the end of the record.
  fileprivate func skip() throws(StoreError) {
    if !isAtEnd { try pieces { _, _ in } }
    begin = reader
    (isTouched, isAtEnd) = (false, false)
  }
}
