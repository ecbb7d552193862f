/// The keys of an index's entries.
///
/// ## Layout
/// | Key | Entry |
/// |---|---|
/// | 00 | ``TextHeader`` |
/// | 01 | ``SegmentTable`` |
/// | 02 | ``MergeState`` |
/// | 03, number (8) | a row that is in no segment yet: ``LooseDocument`` |
/// | 10, segment (4), 01, last term | a block of terms: ``TermBlock`` |
/// | 10, segment (4), 02, list (4), last document (4) | a chunk of a posting list |
/// | 10, segment (4), 03, block (4) | rows and lengths of 1,024 documents: ``DocumentBlock`` |
/// | 10, segment (4), 04, last row (8) | documents in the order of their rows: ``RowOrderBlock`` |
/// | 10, segment (4), 05, block (4) | deleted documents: ``TombstoneBlock`` |
/// | 10, segment (4), 06, block (4) | documents that a running merge leaves out |
///
/// Numbers in keys are big-endian, so that they sort. Rows have their sign bit flipped.
enum TextKey {
  enum Kind: UInt8 {
    case terms = 1
    case chunks, documents, rows, tombstones, dropped
  }

  static let header: [UInt8] = [0]
  static let segments: [UInt8] = [1]
  static let merge: [UInt8] = [2]

  static func loose(_ number: UInt64) -> [UInt8] {
    var key: [UInt8] = [3]
    append(number, width: 8, to: &key)
    return key
  }

  static func segment(_ number: UInt32, _ kind: Kind? = nil) -> [UInt8] {
    var key: [UInt8] = [0x10]
    key.reserveCapacity(16)
    append(UInt64(number), width: 4, to: &key)
    if let kind { key.append(kind.rawValue) }
    return key
  }

  static func term(_ segment: UInt32, _ term: UnsafeRawBufferPointer) -> [UInt8] {
    var key = Self.segment(segment, .terms)
    key.append(contentsOf: term)
    return key
  }

  static func chunk(_ segment: UInt32, list: UInt32, last: UInt32) -> [UInt8] {
    var key = Self.segment(segment, .chunks)
    append(UInt64(list), width: 4, to: &key)
    append(UInt64(last), width: 4, to: &key)
    return key
  }

  static func block(_ segment: UInt32, _ kind: Kind, number: UInt32) -> [UInt8] {
    var key = Self.segment(segment, kind)
    append(UInt64(number), width: 4, to: &key)
    return key
  }

  static func row(_ segment: UInt32, _ row: Int64) -> [UInt8] {
    var key = Self.segment(segment, .rows)
    append(UInt64(bitPattern: row) ^ 1 << 63, width: 8, to: &key)
    return key
  }

  private static func append(_ number: UInt64, width: Int, to key: inout [UInt8]) {
    for place in (0..<width).reversed() { key.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * place))) }
  }

  /// The big-endian number of four bytes at an offset; `nil` if the key ends before.
  static func number(_ key: UnsafeRawBufferPointer, at offset: Int) -> UInt32? {
    guard key.count >= offset + 4 else { return nil }
    return UInt32(bigEndian: key.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }
}
