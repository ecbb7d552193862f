import RoostFile

/// Rows and lengths of 1,024 documents with consecutive numbers, found by their place.
///
/// ## Layout
/// Documents (2), bytes of a row (1), bytes of a length (1), least row (8); then for each document its row, less the
/// least one; then for each field the lengths of all documents. All little-endian.
final class DocumentBlock {
  static let documents = 1024

  private let bytes: UnsafeMutableRawPointer
  let count: Int
  private let rowWidth: Int
  private let lengthWidth: Int
  private let fieldCount: Int
  private let leastRow: Int64

  static func encode(_ rows: ArraySlice<Int64>, _ lengths: ArraySlice<UInt32>, fieldCount: Int, to sink: ByteSink) {
    let least = rows.min() ?? 0
    let spread = rows.reduce(UInt64(0)) { max($0, UInt64(bitPattern: $1 &- least)) }
    let rowWidth = width(spread)
    let lengthWidth = width(UInt64(lengths.max() ?? 0))
    sink.appendFixed(UInt64(rows.count), width: 2)
    sink.append(UInt8(rowWidth))
    sink.append(UInt8(lengthWidth))
    sink.appendFixed(UInt64(bitPattern: least), width: 8)
    for row in rows { sink.appendFixed(UInt64(bitPattern: row &- least), width: rowWidth) }
    for field in 0..<fieldCount {
      var place = lengths.startIndex + field
      while place < lengths.endIndex {
        sink.appendFixed(UInt64(lengths[place]), width: lengthWidth)
        place += fieldCount
      }
    }
  }

  /// The smallest of 1, 2, 4 and 8 bytes that can hold a number.
  private static func width(_ value: UInt64) -> Int {
    value < 1 << 8 ? 1 : value < 1 << 16 ? 2 : value < 1 << 32 ? 4 : 8
  }

  init(_ value: UnsafeRawBufferPointer, fieldCount: Int) throws(StoreError) {
    guard value.count >= 12 else { throw ByteSource.damage }
    let count = Int(value[0]) | Int(value[1]) << 8
    let (rowWidth, lengthWidth) = (Int(value[2]), Int(value[3]))
    guard count > 0, count <= Self.documents, [1, 2, 4, 8].contains(rowWidth), [1, 2, 4].contains(lengthWidth),
      value.count == 12 + count * (rowWidth + lengthWidth * fieldCount), let start = value.baseAddress
    else { throw ByteSource.damage }
    self.count = count
    self.rowWidth = rowWidth
    self.lengthWidth = lengthWidth
    self.fieldCount = fieldCount
    leastRow = Int64(littleEndian: value.loadUnaligned(fromByteOffset: 4, as: Int64.self))
    // Numbers are read as words of eight bytes.
    bytes = .allocate(byteCount: value.count + 8, alignment: 8)
    bytes.copyMemory(from: start, byteCount: value.count)
    (bytes + value.count).initializeMemory(as: UInt8.self, repeating: 0, count: 8)
  }

  deinit { bytes.deallocate() }

  @inline(__always)
  private func number(_ offset: Int, _ width: Int) -> UInt64 {
    let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    return UInt64(littleEndian: word) & (UInt64.max >> UInt64(64 - 8 * width))
  }

  /// The place is below `count`.
  @inline(__always)
  func row(_ place: Int) -> Int64 { leastRow &+ Int64(bitPattern: number(12 + place * rowWidth, rowWidth)) }

  @inline(__always)
  func length(_ place: Int, field: Int) -> UInt32 {
    let start = 12 + count * rowWidth + (field * count + place) * lengthWidth
    return UInt32(truncatingIfNeeded: number(start, lengthWidth))
  }

  /// The terms of all fields.
  @inline(__always)
  func length(_ place: Int) -> UInt32 {
    var sum: UInt32 = 0
    for field in 0..<fieldCount { sum &+= length(place, field: field) }
    return sum
  }
}

/// Documents in the order of their rows.
///
/// ## Layout
/// Their number, then for each: distance of its row from the row before (the first: signed row), document. All are
/// variable-length numbers.
enum RowOrderBlock {
  static let documents = 512

  static func encode(_ entries: ArraySlice<(row: Int64, document: UInt32)>, to sink: ByteSink) {
    sink.appendNumber(entries.count)
    var before: Int64?
    for (row, document) in entries {
      if let before { sink.appendNumber(UInt64(bitPattern: row &- before)) } else { sink.appendSigned(row) }
      sink.appendNumber(UInt64(document))
      before = row
    }
  }

  static func decode(
    _ value: UnsafeRawBufferPointer, documentCount: Int
  ) throws(StoreError) -> [(row: Int64, document: UInt32)] {
    var source = ByteSource(value)
    var entries: [(row: Int64, document: UInt32)] = []
    for place in 0..<(try source.count(documents)) {
      let row: Int64
      if place == 0 {
        row = try source.signed()
      } else {
        row = entries[place - 1].row &+ Int64(bitPattern: try source.number())
        guard row > entries[place - 1].row else { throw ByteSource.damage }
      }
      entries.append((row, UInt32(try source.count(documentCount - 1))))
    }
    guard source.isAtEnd else { throw ByteSource.damage }
    return entries
  }
}
