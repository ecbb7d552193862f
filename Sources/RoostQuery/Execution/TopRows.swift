internal import RoostFile
internal import RoostRecords

/// Sorts rows by their keys and keeps only the wanted number.
///
/// When it holds twice as many, it drops the worse half. From then on it rejects rows that are
/// worse than the worst one left.
struct TopRows {
  private let wanted: Int
  private var entries: [Entry] = []
  private var bytes: [UInt8] = []
  private var hasThreshold = false

  private struct Entry {
    /// The key's first eight bytes.
    var head: UInt64
    var start: Int
    var count: Int
    var row: RowID
  }

  /// - Parameter wanted: how many rows to keep; nil for all.
  init(wanted: Int?) { self.wanted = wanted ?? .max }

  mutating func insert(_ key: UnsafeRawBufferPointer, _ row: RowID) throws {
    if wanted == 0 { return }
    if hasThreshold, !isBelowThreshold(key) { return }
    entries.append(Entry(head: Self.head(key), start: bytes.count, count: key.count, row: row))
    bytes.append(contentsOf: key)
    if entries.count >= 1024, entries.count / 2 >= wanted { try shrink() }
  }

  /// The rows in order.
  mutating func finish() throws -> [RowID] {
    try sort()
    return entries.prefix(wanted).map(\.row)
  }

  private static func head(_ key: UnsafeRawBufferPointer) -> UInt64 {
    if key.count >= 8 { return UInt64(bigEndian: key.loadUnaligned(as: UInt64.self)) }
    return key.reduce(0) { $0 << 8 | UInt64($1) } << UInt64(8 * (8 - key.count))
  }

  private mutating func sort() throws {
    let bytes = self.bytes
    try bytes.withUnsafeBytes { bytes in
      // Counting comparisons costs some instructions each, so it is done only if the call can be
      // cancelled.
      guard CallInterrupt.current != nil else { return entries.sort { Self.isLess($0, $1, in: bytes) } }
      var counter = InterruptCounter()
      try entries.sort { one, other in
        try counter.step()
        return Self.isLess(one, other, in: bytes)
      }
    }
  }

  @inline(__always)
  private static func isLess(_ one: Entry, _ other: Entry, in bytes: UnsafeRawBufferPointer) -> Bool {
    if one.head != other.head { return one.head < other.head }
    return TextBytes.bytesAreLess(key(one, bytes), key(other, bytes))
  }

  private static func key(_ entry: Entry, _ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[entry.start..<entry.start + entry.count])
  }

  private func isBelowThreshold(_ key: UnsafeRawBufferPointer) -> Bool {
    bytes.withUnsafeBytes { TextBytes.bytesAreLess(key, Self.key(entries[wanted - 1], $0)) }
  }

  private mutating func shrink() throws {
    try sort()
    entries.removeLast(entries.count - wanted)
    var kept: [UInt8] = []
    let bytes = self.bytes
    bytes.withUnsafeBytes { bytes in
      for index in entries.indices {
        let key = Self.key(entries[index], bytes)
        entries[index].start = kept.count
        kept.append(contentsOf: key)
      }
    }
    self.bytes = kept
    hasThreshold = true
  }
}
