internal import RoostFile
internal import RoostRecords

/// The thread of an import that reads, takes apart, and makes rows.
///
/// Unchecked because only that thread uses it.
final class ReadingStage: @unchecked Sendable {
  private let store: RecordStore
  private let options: ImportOptions
  private let input: any ByteInput
  private let format: TextFormat
  private let chunk: Int
  private let queue: PieceQueue
  /// Records that are stored already.
  private var skip: Int

  init(
    _ store: RecordStore, _ options: ImportOptions, _ input: any ByteInput, _ format: TextFormat, skip: Int,
    _ chunk: Int, _ queue: PieceQueue
  ) {
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
    var binder = RowBinder(binding, options.limits, keepsText: options.badRecords != .stop)
    let reader = try TextReader(input, format, limits: options.limits)
    let batch = try RecordBatch()
    let values = try ValueReader(batch, limits: options.limits)
    guard var piece = queue.takeEmpty() else { return }
    var isFirst = true
    while try reader.next(batch) {
      if isFirst, let names = reader.names { try binder.take(columns: names) }
      isFirst = false
      // The newest snapshot, so that what was stored meanwhile is found.
      var place = 0
      while place < batch.records.count {
        try store.read { snapshot in
          var finder = RowFinder(snapshot)
          while place < batch.records.count, piece.records < chunk {
            add(batch, batch.records[place], to: piece, &binder, values, &finder)
            place += 1
          }
        }
        piece.inputEnd = batch.inputEnd
        piece.names = reader.names
        if piece.records < chunk { continue }
        queue.put(piece)
        guard let next = queue.takeEmpty() else { return }
        piece = next
      }
    }
    // A table may have names and nothing else.
    if isFirst, let names = reader.names { try binder.take(columns: names) }
    if piece.records > 0 { queue.put(piece) }
  }

  private func add(
    _ batch: RecordBatch, _ record: RecordBatch.Record, to piece: ImportPiece, _ binder: inout RowBinder,
    _ values: ValueReader, _ finder: inout RowFinder
  ) {
    if skip > 0 {
      skip -= 1
      return
    }
    piece.records += 1
    if let fault = record.fault {
      piece.faults.append(fault)
      return
    }
    let row = piece.next(binder.binding.layout)
    do {
      try binder.fill(row, batch, record, values, &finder)
    } catch {
      piece.dropLast()
      piece.faults.append(
        error as? TransferFault ?? batch.fault(.unknown, "\(error)", at: record.bytes.lowerBound, in: record))
    }
  }
}
