import RoostFile

/// One segment: an immutable part of an index, with the documents 0 to `documentCount` - 1.
struct SegmentRecord: Equatable {
  var number: UInt32
  var documentCount: Int
  var deletedCount = 0
  /// The bytes of its terms and posting lists.
  var byteCount: Int
  var firstRow: Int64
  var lastRow: Int64
  /// Whether document n has the row `firstRow` + n, so that no entry needs to be read for it.
  var isConsecutive: Bool

  /// Segments of one class are merged. Each class is eight times as large as the one before.
  var sizeClass: Int {
    var (size, rank) = (byteCount >> 15, 0)
    while size > 0 { (size, rank) = (size >> 3, rank + 1) }
    return rank
  }
}

/// All segments of an index.
///
/// ## Layout
/// The number of segments, then for each: number, documents, deleted documents, bytes times 2 (plus 1 if rows are
/// consecutive), first row (signed), rows spanned.
/// All are variable-length numbers.
struct SegmentTable: Equatable {
  static let mostSegments = 4096

  var segments: [SegmentRecord] = []

  init() {}

  func encode(to sink: ByteSink) {
    sink.appendNumber(segments.count)
    for segment in segments {
      sink.appendNumber(UInt64(segment.number))
      sink.appendNumber(segment.documentCount)
      sink.appendNumber(segment.deletedCount)
      sink.appendNumber(segment.byteCount << 1 | (segment.isConsecutive ? 1 : 0))
      sink.appendSigned(segment.firstRow)
      sink.appendNumber(UInt64(bitPattern: segment.lastRow &- segment.firstRow))
    }
  }

  init(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
    var source = ByteSource(bytes)
    for _ in 0..<(try source.count(Self.mostSegments)) {
      let number = UInt32(try source.count(Int(UInt32.max)))
      let documentCount = try source.count(Int(UInt32.max) - 1)
      let deletedCount = try source.count(documentCount)
      let size = try source.count(1 << 60)
      let firstRow = try source.signed()
      let lastRow = firstRow &+ Int64(bitPattern: try source.number())
      guard documentCount > 0, lastRow >= firstRow, !segments.contains(where: { $0.number == number }),
        size & 1 == 0 || lastRow &- firstRow == Int64(documentCount - 1)
      else { throw ByteSource.damage }
      segments.append(
        SegmentRecord(
          number: number, documentCount: documentCount, deletedCount: deletedCount, byteCount: size >> 1,
          firstRow: firstRow, lastRow: lastRow, isConsecutive: size & 1 == 1))
    }
    guard source.isAtEnd else { throw ByteSource.damage }
  }
}
