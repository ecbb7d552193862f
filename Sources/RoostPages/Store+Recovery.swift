import RoostBytes
import RoostFile
import Synchronization

/// Replays the log after a crash.
///
/// There are two passes. The first finds the end of the valid records, refuses damage, and reserves
/// every place that a closed record names. The second replays the records. Before both have ended,
/// only drafts are written to free places, which no superblock names. So a crash meanwhile finds
/// the same store and the same log again.
extension Store {
  /// The kinds of pieces of this module. The module above uses kinds from 16 on.
  package enum PieceKind {
    /// Extents written before the record: see ``ExtentList``.
    package static let extents: UInt8 = 1
    /// Pages written before the record: see ``WriteTransaction/Through``.
    package static let pages: UInt8 = 2
    package static let firstOfFloorAbove: UInt8 = 16
  }

  func recover(_ logFile: any StorageFile, _ start: Superblock.LogStart) throws(StoreError) {
    let began = Clock.monotonicNanoseconds()
    // Done before anything is written that the previous superblock might still need.
    let isInDoubt = options.readOnly ? false : try settleDoubt(logFile)
    // The sync that failed may have lost the growth of the log's file. It grows again, so that a
    // sync saves its size. A file without even one segment of the length in its header is not
    // extended.
    if isInDoubt, let header = try LogReader.fileHeader(logFile),
      case let size = try logFile.size(), size >= UInt64(LogFormat.fileHeader + header.segmentBytes)
    {
      try logFile.truncate(to: size + UInt64(header.segmentBytes))
    }
    let found = try survey(logFile, start)
    try reserve(found.named, logFile)
    namedSteps = found.namedSteps
    try frames.reserve(upTo: Int(space.limit))
    if !options.readOnly { try cutLeftover() }
    var reader = try LogReader(file: logFile, superblock: durable, start: start)
    defer { reader.close() }
    try replayRecords(&reader, count: found.recordCount)
    recovery = RecoveryReport(
      nanoseconds: Clock.monotonicNanoseconds() - began, commits: found.recordCount,
      bytes: Int(clamping: found.end.position &- start.position))
    if options.readOnly { return }

    let writer = Log(
      file: logFile, segmentBytes: reader.segmentBytes, storeHigh: durable.identityHigh,
      storeLow: durable.identityLow, position: found.end.position, makeSalt: options.random,
      schedule: options.schedule)
    writer.resume(at: found.end, segmentCount: reader.count)
    writer.superblock = durable.sequence
    log = writer
    commits.restart(at: found.end.position)
    commits.attach(logFile)
    try writer.clearTail()
    try poisoning { () throws(StoreError) in try logFile.sync() }
    do throws(StoreError) { try checkpoint() } catch {
      // A full disk is no reason to refuse: the log still holds everything. But in doubt only the
      // kernel may hold it.
      if error.code != .diskFull || isInDoubt { throw error }
    }
    try LogFileHeader.note(processID: currentProcessID, isInDoubt: false, in: logFile)
  }

  /// Makes the newest superblock durable, which may exist only in the kernel's memory. Its write
  /// may have been reported as failed, or its process may have ended before the sync. Then the
  /// other slot holds the durable one.
  ///
  /// If a sync failed before, a sync alone is not enough: so the superblock is written again over
  /// itself.
  func settleDoubt(_ logFile: any StorageFile) throws(StoreError) -> Bool {
    guard let file else { return false }
    let isInDoubt = try LogReader.fileHeader(logFile)?.isInDoubt == true
    if isInDoubt { try file.write(durable.encoded(), at: durableSlot * Page.size) }
    try poisoning { () throws(StoreError) in try file.sync() }
    return isInDoubt
  }

  /// Takes the places that closed records name, so that replay does not use them for other pages.
  private func reserve(_ named: [(UInt32, UInt32)], _ logFile: any StorageFile) throws(StoreError) {
    guard let file else { return }
    let pageCount = (try file.size() + UInt64(Page.size) - 1) / UInt64(Page.size)
    for (place, count) in named {
      let end = UInt64(place) + UInt64(count)
      guard end <= pageCount, end < UInt64(UInt32.max) else {
        throw StoreError(
          .logDamaged, "the log names a page beyond the end of the file", path: logFile.path, page: UInt64(place))
      }
      for member in place..<UInt32(end) {
        // A store that was opened for reading takes no places of the file, so it does not know the
        // free ones.
        if options.readOnly && member < durable.pageCount { continue }
        guard space.reserve(member) else {
          throw StoreError(
            .logDamaged, "the log names a page that is in use", path: logFile.path, page: UInt64(member))
        }
      }
    }
  }

  /// Cuts the file after the last page that the superblock or the log names. When pages are written
  /// there again, the file grows again, and a sync saves its size: a sync that failed may have lost
  /// the earlier growth.
  private func cutLeftover() throws(StoreError) {
    guard let file else { return }
    let wanted = UInt64(space.limit) * UInt64(Page.size)
    if try file.size() > wanted { try file.truncate(to: wanted) }
  }

  /// Finds the end of the log, and refuses a damaged one.
  ///
  /// While its owner writes, the log may grow between the two passes, and new frames say that the
  /// log was synced beyond the end found first. So the log is read again: if it now continues
  /// there, it is not damaged. The result of the first pass then counts, however quickly the owner
  /// writes.
  private func survey(_ logFile: any StorageFile, _ start: Superblock.LogStart) throws(StoreError) -> Survey {
    let (first, synced) = try look(logFile, start)
    guard let synced else { return first }
    if options.readOnly, try look(logFile, start, forDamage: false).found.wholeEnd > first.wholeEnd { return first }
    throw StoreError(
      .logDamaged, "the log is damaged at position \(first.wholeEnd), and was synced up to \(synced)",
      path: logFile.path)
  }

  /// Reads the log once, and returns how far a frame after its end says that it had been synced.
  private func look(
    _ logFile: any StorageFile, _ start: Superblock.LogStart, forDamage: Bool = true
  ) throws(StoreError) -> (found: Survey, synced: UInt64?) {
    var reader = try LogReader(file: logFile, superblock: durable, start: start)
    defer { reader.close() }
    let found = try Survey(&reader)
    return (found, forDamage ? try reader.findDamage(after: found.wholeEnd) : nil)
  }

  private func replayRecords(_ reader: inout LogReader, count: Int) throws(StoreError) {
    var done = 0
    var transaction: WriteTransaction?
    // The module above keeps its open tables from one record to the next, as it does between
    // commits.
    var state: (any TransactionState)?
    defer { state?.transactionEnded() }
    var pieces = PieceReader()
    do throws(StoreError) {
      while done < count, let (frame, payload) = try reader.next() {
        let current: WriteTransaction
        if let transaction {
          current = transaction
        } else {
          try turn.take(until: nil)
          reclaim()
          current = try WriteTransaction(store: self, log: nil)
          transaction = current
          if let known = state { current.take(over: known) }
          state = nil
        }
        let isCommit = frame.kind == .commit
        let body = isCommit ? try Self.body(payload, reader) : payload
        try pieces.read(body, isLast: isCommit) { (kind, bytes) throws(StoreError) in
          if kind >= PieceKind.firstOfFloorAbove { try floor.replay(current, kind, bytes) }
          try Self.unlessFull { () throws(StoreError) in try current.relieve() }
        }
        if isCommit {
          state = try close(current, payload.baseAddress! + body.count)
          transaction = nil
          done += 1
          try Self.unlessFull { () throws(StoreError) in try spillReplayed() }
        }
      }
    } catch {
      transaction?.abandon()
      throw error
    }
    transaction?.abandon()
  }

  /// Writes the drafts of replayed commits to their places if there are too many. It is not a
  /// checkpoint: no superblock names them, so after a crash those places are free, and the log is
  /// replayed again.
  ///
  /// No other thread uses the store yet, and no transaction is open, so no page changes meanwhile.
  private func spillReplayed() throws(StoreError) {
    guard let file, !options.readOnly,
      frames.drafts.load(ordering: .relaxed) > draftLimit
    else { return }
    let places = frames.draftPlaces()
    try PageWriter(file: file, frames: frames.map, settleChecks: floor.settleChecks).write(places)
    for place in places { frames.settle(PageID(place)) }
    frames.trim()
  }

  /// Ignores a full disk. Drafts then stay in memory, above their limit: the log still holds
  /// everything.
  private static func unlessFull(_ body: () throws(StoreError) -> Void) throws(StoreError) {
    do throws(StoreError) { try body() } catch {
      if error.code != .diskFull { throw error }
    }
  }

  /// The commit frame's payload without its trailer.
  static func body(_ payload: UnsafeRawBufferPointer, _ reader: LogReader) throws(StoreError) -> UnsafeRawBufferPointer
  {
    guard payload.count >= trailerBytes else {
      throw StoreError(.logDamaged, "a commit in the log is too short", path: reader.file.path)
    }
    return UnsafeRawBufferPointer(rebasing: payload[..<(payload.count - trailerBytes)])
  }

  /// Ends a record's transaction. Returns the state that the next one may reuse.
  private func close(
    _ transaction: WriteTransaction, _ trailer: UnsafeRawPointer
  ) throws(StoreError) -> (any TransactionState)? {
    let number = trailer.u64(0)
    let stamp = trailer.u64(8)
    guard number == tip.transaction + 1, stamp < Superblock.mostCounted else {
      throw StoreError(
        .logDamaged, "the log has transaction \(number) where \(tip.transaction + 1) is due", path: path)
    }
    let catalog = try floor.seal(transaction)
    try transaction.refuseDoubles()
    // Replay may take more steps than the original transaction, because it has less room for
    // drafts.
    let snapshot = Snapshot(stamp: max(stamp, transaction.stamp), transaction: number, catalog: catalog)
    accept(transaction, snapshot)
    _ = commits.add(snapshot, end: 0, .relaxed)
    let state = transaction.takeState()
    transaction.finish()
    turn.give()
    return state
  }
}

/// The result of the first pass over the log.
private struct Survey {
  var recordCount = 0
  /// The end of the last closed record, where the next frame is written.
  var end: LogEnd
  /// The end of the last valid frame.
  var wholeEnd: UInt64
  /// Runs of pages that closed records name.
  var named: [(UInt32, UInt32)] = []
  /// The steps that made them, if they are pages.
  var namedSteps: [ClosedRange<UInt64>] = []

  init(_ reader: inout LogReader) throws(StoreError) {
    end = reader.end
    var pending: [(UInt32, UInt32)] = []
    var pendingSteps: [ClosedRange<UInt64>] = []
    var pieces = PieceReader()
    let path = reader.file.path
    while let (frame, payload) = try reader.next() {
      let isCommit = frame.kind == .commit
      let body = isCommit ? try Store.body(payload, reader) : payload
      try pieces.read(body, isLast: isCommit) { (kind, bytes) throws(StoreError) in
        switch kind {
        case Store.PieceKind.extents:
          guard let extents = ExtentList.decode(bytes) else { throw Self.unreadable(path) }
          pending += extents.map { ($0.place, $0.pages) }
        case Store.PieceKind.pages:
          guard bytes.count >= 16, bytes.count % 8 == 0, let memory = bytes.baseAddress,
            memory.u64(0) <= memory.u64(8)
          else { throw Self.unreadable(path) }
          pendingSteps.append(memory.u64(0)...memory.u64(8))
          for index in 2..<bytes.count / 8 { pending.append((memory.u32(index * 8), memory.u32(index * 8 + 4))) }
        default: break
        }
      }
      if isCommit {
        named += pending
        namedSteps += pendingSteps
        pending = []
        pendingSteps = []
        recordCount += 1
        end = reader.end
      }
    }
    wholeEnd = reader.position
  }

  private static func unreadable(_ path: String) -> StoreError {
    StoreError(.logDamaged, "a record in the log is unreadable", path: path)
  }
}
