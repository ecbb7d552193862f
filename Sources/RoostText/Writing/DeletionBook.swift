import RoostFile

/// The tombstones that one transaction adds to segments.
struct DeletionBook {
  private struct BlockID: Hashable {
    var segment: UInt32
    var block: UInt32
  }

  private let store: any TextStore
  private let fieldCount: Int
  private var readers: [UInt32: SegmentReader] = [:]
  private var blocks: [BlockID: [UInt64]] = [:]
  private var changed: Set<BlockID> = []
  /// The deletions of each segment that its record does not count yet.
  private var counts: [UInt32: Int] = [:]

  init(_ store: any TextStore, fieldCount: Int) {
    self.store = store
    self.fieldCount = fieldCount
  }

  /// Deletes a row of a segment. Returns the lengths of its document; `nil` if no segment has the row.
  mutating func delete(_ row: Int64, _ table: SegmentTable) throws(StoreError) -> [UInt32]? {
    for record in table.segments.reversed() where record.firstRow <= row && row <= record.lastRow {
      let reader = readers[record.number] ?? SegmentReader(store, record, fieldCount: fieldCount)
      readers[record.number] = reader
      guard let document = try reader.document(of: row) else { continue }
      let id = BlockID(segment: record.number, block: document >> 12)
      var bits = try block(id)
      let (word, bit) = (Int(document & 4095) >> 6, UInt64(1) << UInt64(document & 63))
      if bits[word] & bit != 0 { continue }
      bits[word] |= bit
      blocks[id] = bits
      changed.insert(id)
      counts[record.number, default: 0] += 1
      return try reader.lengths(document)
    }
    return nil
  }

  private func block(_ id: BlockID) throws(StoreError) -> [UInt64] {
    if let known = blocks[id] { return known }
    var bits = [UInt64](repeating: 0, count: TombstoneBlock.documents / 64)
    try store.read(TextKey.block(id.segment, .tombstones, number: id.block)) { (value) throws(StoreError) in
      bits = try TombstoneBlock.decode(value)
    }
    return bits
  }

  /// Writes what changed, and counts it in the records.
  mutating func write(_ table: inout SegmentTable) throws(StoreError) {
    let sink = ByteSink()
    for id in changed {
      guard let bits = blocks[id] else { continue }
      sink.clear()
      TombstoneBlock.encode(bits, to: sink)
      try store.put(sink, at: TextKey.block(id.segment, .tombstones, number: id.block))
    }
    changed = []
    for place in table.segments.indices {
      let added = counts[table.segments[place].number] ?? 0
      guard table.segments[place].deletedCount + added <= table.segments[place].documentCount else {
        throw ByteSource.damage
      }
      table.segments[place].deletedCount += added
    }
    counts = [:]
  }

  /// Forgets a removed segment.
  mutating func forget(_ segment: UInt32) {
    readers[segment] = nil
    blocks = blocks.filter { $0.key.segment != segment }
  }
}
