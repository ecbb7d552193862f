internal import RoostBytes
internal import RoostFile
internal import RoostRecords

/// The thread of an import that reads, parses, and makes rows.
///
/// Unchecked because only that thread uses it.
final class ReadingStage: @unchecked Sendable {
  private let store: RecordStore
  private let options: TextImportOptions
  private let input: any ByteInput
  private let format: TextFormat
  private let chunk: Int
  private let queue: PieceQueue
  /// The number of records that are already stored, and their checksum.
  private var skip: Int
  private let skipCheck: UInt64
  /// The checksum of the records so far.
  private var check: UInt64 = 0

  init(
    _ store: RecordStore, _ options: TextImportOptions, input: any ByteInput, format: TextFormat, skip: Int,
    check: UInt64, chunk: Int, queue: PieceQueue
  ) {
    skipCheck = check
    self.store = store
    self.options = options
    self.input = input
    self.format = format
    self.skip = skip
    self.chunk = chunk
    self.queue = queue
  }

  func run() {
    do {
      try read()
      queue.end()
    } catch { queue.end(error) }
  }

  private func read() throws {
    let binding = try store.read { try FieldBinding($0.catalog, options) }
    let dates = try DateReader(faultOf: options.dates)
    var binder = RowBinder(binding, options.limits, keepsText: options.badRecords != .stop)
    let reader = try TextReader(input, format, limits: options.limits)
    let batch = try RecordBatch()
    let values = try ValueReader(batch, limits: options.limits, dates: dates)
    guard var piece = queue.takeEmpty() else { return }
    var isFirst = true
    // The time at which the piece is stored although more records may follow.
    var deadline: ContinuousClock.Instant?
    while true {
      let outcome = try reader.next(batch, by: deadline)
      if outcome == .end { break }
      if outcome == .late {
        guard let next = handOver(piece) else { return }
        (piece, deadline) = (next, nil)
        continue
      }
      if isFirst, let names = reader.names {
        try binder.take(columns: names)
        for name in names { Array(name.utf8).withUnsafeBytes { follow($0) } }
      }
      isFirst = false
      // The newest snapshot, so that rows which were stored meanwhile are found.
      var place = 0
      while place < batch.records.count {
        try store.read { snapshot in
          var finder = RowFinder(snapshot)
          while place < batch.records.count, !isFull(piece) {
            try add(batch, batch.records[place], to: piece, binder: &binder, values: values, finder: &finder)
            place += 1
          }
        }
        piece.inputEnd = batch.inputEnd
        piece.header = reader.header
        piece.check = check
        if !isFull(piece) { continue }
        guard let next = handOver(piece) else { return }
        (piece, deadline) = (next, nil)
      }
      if piece.records > 0, deadline == nil { deadline = .now + TextImportOptions.longestWait }
    }
    if skip > 0 { throw changed }
    // A table may have only a first line.
    if isFirst, let names = reader.names { try binder.take(columns: names) }
    if piece.records > 0 { queue.put(piece) }
  }

  /// Passes a piece on to be stored, and takes another one; nil if no more are needed.
  private func handOver(_ piece: ImportPiece) -> ImportPiece? {
    queue.put(piece)
    return queue.takeEmpty()
  }

  private func isFull(_ piece: ImportPiece) -> Bool {
    piece.records >= chunk || piece.byteCount >= options.pieceBytes
  }

  /// Adds bytes of the input to the checksum.
  private func follow(_ bytes: UnsafeRawBufferPointer) {
    if options.name == nil { return }
    // It does not matter whether the last line ends with a newline.
    var count = bytes.count
    while count > 0, bytes[count - 1] == Byte.newline || bytes[count - 1] == Byte.carriageReturn { count -= 1 }
    check = Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[..<count]), seed: check)
  }

  private var changed: RecordFault {
    RecordFault(
      .conflict,
      "the import '\(options.name ?? "")' was interrupted, and its input began with other records: continue with the "
        + "same input, or give this import another name", entity: options.entity)
  }

  private func add(
    _ batch: RecordBatch, _ record: RecordBatch.Record, to piece: ImportPiece, binder: inout RowBinder,
    values: ValueReader, finder: inout RowFinder
  ) throws {
    follow(batch.bytes(of: record))
    if skip > 0 {
      skip -= 1
      if skip == 0, check != skipCheck { throw changed }
      return
    }
    piece.records += 1
    if let fault = record.fault {
      piece.faults.append(fault)
      piece.byteCount += fault.record.count
      return
    }
    let row = piece.next(binder.binding.layout)
    do {
      try binder.fill(row, batch, record: record, values: values, finder: &finder)
      piece.byteCount += row.byteCount
    } catch let fault as TransferFault {
      // Errors of the store or of memory are not errors of the record.
      piece.dropLast()
      piece.faults.append(fault)
      piece.byteCount += fault.record.count
    }
  }
}
