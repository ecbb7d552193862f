import RoostFile

/// The counts of an index, and the rows that are in no segment yet. A commit rewrites it.
///
/// ## Layout
/// Version (1), then variable-length numbers: fields, next loose number, next segment, rows, for each field its terms,
/// loose rows, and for each of them: distance of its number, row (signed distance), bytes.
struct TextHeader: Equatable {
  struct Loose: Equatable {
    var number: UInt64
    var row: Int64
    var byteCount: Int
  }

  static let version: UInt8 = 1
  static let mostLoose = 4096

  var nextNumber: UInt64 = 1
  var nextSegment: UInt32 = 1
  var rowCount = 0
  var fieldLengths: [Int]
  var loose: [Loose] = []

  init(fieldCount: Int) { fieldLengths = Array(repeating: 0, count: fieldCount) }

  func encode(to sink: ByteSink) {
    sink.append(Self.version)
    sink.appendNumber(fieldLengths.count)
    sink.appendNumber(nextNumber)
    sink.appendNumber(UInt64(nextSegment))
    sink.appendNumber(rowCount)
    for length in fieldLengths { sink.appendNumber(length) }
    sink.appendNumber(loose.count)
    var (number, row): (UInt64, Int64) = (0, 0)
    for entry in loose {
      sink.appendNumber(entry.number - number)
      sink.appendSigned(entry.row &- row)
      sink.appendNumber(entry.byteCount)
      (number, row) = (entry.number, entry.row)
    }
  }

  init(_ bytes: UnsafeRawBufferPointer, fieldCount: Int) throws(StoreError) {
    var source = ByteSource(bytes)
    let version = try source.byte()
    guard version == Self.version else {
      throw StoreError(.futureVersion, "the text index has version \(version)")
    }
    guard try source.number() == UInt64(fieldCount) else {
      throw StoreError(.damaged, "the text index has another number of fields than its definition")
    }
    // The limits leave room to count on. No real index ever reaches them.
    nextNumber = UInt64(try source.count(1 << 60))
    nextSegment = UInt32(try source.count(1 << 31))
    rowCount = try source.count(Int(UInt32.max))
    fieldLengths = []
    for _ in 0..<fieldCount { fieldLengths.append(try source.count(1 << 56)) }
    let count = try source.count(Self.mostLoose)
    var (number, row): (UInt64, Int64) = (0, 0)
    for _ in 0..<count {
      let (sum, isOver) = number.addingReportingOverflow(try source.number())
      guard !isOver, sum > number, sum < nextNumber else { throw ByteSource.damage }
      number = sum
      row &+= try source.signed()
      loose.append(Loose(number: number, row: row, byteCount: try source.count(1 << 40)))
    }
    guard source.isAtEnd else { throw ByteSource.damage }
  }
}
