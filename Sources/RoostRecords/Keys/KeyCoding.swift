internal import RoostBytes

/// Encodes values as keys. The bytes sort as Swift sorts the values, and are equal if the values
/// are equal.
///
/// ## Layout
/// An optional part begins with 0 for nil, or 1 and the value: nil sorts first. Then
/// ```
/// bool             u8 0 or 1
/// signed integer   big-endian, the sign bit inverted, at its width
/// unsigned         big-endian, at its width
/// float, double,   big-endian; of a negative number all bits inverted, else the sign bit; -0 is 0, and
///  date             every NaN is all ones
/// decimal          see DecimalNumber.key
/// string, url      UTF-8 in normal form C, in which 0 is written as 0 255; then 0 0. Cut after 512 bytes: then 0 254
/// data             as a string, without a normal form
/// uuid             16 bytes
/// reference        order-keeping number, see below
/// ```
/// No key of a value is a prefix of the key of another value of the same type, so parts can follow
/// each other. All bytes of a descending part are inverted.
///
/// An order-keeping number begins with as many 1 bits as bytes follow its first byte: 0xxxxxxx,
/// 10xxxxxx x, … up to 11111111 and eight bytes.
package enum KeyCoding {
  /// The number of bytes after which a text is cut. Rows with equal cut keys must be compared by
  /// their values.
  package static let textBytes = 512

  package static func append(double: Double, to key: inout ByteBuffer) {
    key.append(big: orderedBits(double))
  }

  @inline(__always)
  package static func orderedBits(_ number: Double) -> UInt64 {
    if number.isNaN { return .max }
    // Adding 0 turns -0 into 0.
    let bits = (number + 0).bitPattern
    return bits & (1 << 63) == 0 ? bits | 1 << 63 : ~bits
  }

  @inline(__always)
  package static func orderedBits(_ number: Float) -> UInt32 {
    if number.isNaN { return .max }
    let bits = (number + 0).bitPattern
    return bits & (1 << 31) == 0 ? bits | 1 << 31 : ~bits
  }

  /// Appends a row number in as few bytes as possible.
  package static func append(row: RowID, to key: inout ByteBuffer) {
    let number = row.number
    if number >= 1 << 56 {
      let memory = key.take(9)
      memory.set8(0, 0xFF)
      memory.set64(1, number.byteSwapped)
      return
    }
    // Each byte holds seven bits of the number, and one leading bit that says whether another byte
    // follows.
    let bits = 64 &- (number | 1).leadingZeroBitCount
    let count = (bits &+ 6) / 7
    let shift = UInt64(truncatingIfNeeded: 64 &- 8 &* count)
    let ones = ~(UInt64.max &>> UInt64(truncatingIfNeeded: count &- 1))
    key.take(8).set64(0, (number &<< shift | ones).byteSwapped)
    key.drop(8 &- count)
  }

  /// Reads a row number that extends from `start` to the end of a key; nil if there is none.
  package static func row(endOf key: UnsafeRawBufferPointer, from start: Int) -> RowID? {
    guard start < key.count else { return nil }
    let first = key[start]
    let more = (~first).leadingZeroBitCount
    guard key.count == start + 1 + more else { return nil }
    if more == 8 { return RowID(UInt64(bigEndian: key.loadUnaligned(fromByteOffset: start + 1, as: UInt64.self))) }
    var number = UInt64(first & (0x7F >> UInt8(more)))
    for index in 0..<more { number = number << 8 | UInt64(key[start + 1 + index]) }
    return RowID(number)
  }

  /// Reads a row number of `count` bytes, fewer than nine, that ends at `end`. Eight bytes before
  /// `end` must be readable. Nil if there is no such number.
  @inline(__always)
  static func row(before end: UnsafeRawPointer, _ count: Int) -> RowID? {
    let word = UInt64(bigEndian: (end - 8).loadUnaligned(as: UInt64.self))
    let shift = UInt64(truncatingIfNeeded: 7 &* count)
    // All leading bits except the last one are ones.
    let front = word &>> shift & (1 &<< UInt64(truncatingIfNeeded: count) &- 1)
    guard front == 1 &<< UInt64(truncatingIfNeeded: count) &- 2 else { return nil }
    return RowID(word & (1 &<< shift &- 1))
  }

  /// Reads a row number in the middle of a key, and its number of bytes; nil if there is none.
  package static func row(in key: UnsafeRawBufferPointer, at start: Int) -> (row: RowID, count: Int)? {
    guard start < key.count else { return nil }
    let count = 1 + (~key[start]).leadingZeroBitCount
    guard start + count <= key.count else { return nil }
    let part = UnsafeRawBufferPointer(rebasing: key[start..<start + count])
    return row(endOf: part, from: 0).map { ($0, count) }
  }

  /// Whether values of this type can be parts of keys.
  package static func isOrdered(_ type: FieldType) -> Bool {
    switch type {
    case .array, .set, .dictionary, .presence: false
    default: true
    }
  }

  package static func append(
    data: UnsafeRawBufferPointer, to key: inout ByteBuffer, cutBehind most: Int = textBytes
  ) {
    appendEscaped(data, to: &key, most)
  }

  private static func appendEscaped(_ bytes: UnsafeRawBufferPointer, to key: inout ByteBuffer, _ most: Int) {
    var isCut = bytes.count > most
    let bytes = UnsafeRawBufferPointer(rebasing: bytes.prefix(most))
    if bytes.contains(0) {
      let start = key.count
      for byte in bytes {
        // Escaped bytes count too, so that the key of a text never exceeds the limit.
        guard key.count - start + (byte == 0 ? 2 : 1) <= most else {
          isCut = true
          break
        }
        key.append(byte)
        if byte == 0 { key.append(255) }
      }
    } else {
      key.append(contentsOf: bytes)
    }
    key.append(0)
    key.append(isCut ? 254 : 0)
  }

  /// Appends valid UTF-8 in normal form C.
  package static func append(
    text: UnsafeRawBufferPointer, to key: inout ByteBuffer, cutBehind most: Int = textBytes
  ) {
    if text.count <= most, isSimple(text), let start = text.baseAddress {
      let memory = key.take(text.count &+ 2)
      memory.copyShort(from: start, byteCount: text.count)
      memory.set16(text.count, 0)
    } else if NormalForm.isPlain(text) {
      appendEscaped(text, to: &key, most)
    } else {
      NormalForm.composed(text).withUnsafeBytes { appendEscaped($0, to: &key, most) }
    }
  }

  /// Whether the text's bytes need no conversion: ASCII without 0.
  private static func isSimple(_ text: UnsafeRawBufferPointer) -> Bool {
    guard let start = text.baseAddress else { return false }
    if text.count < 8 {
      var offset = 0
      while offset < text.count, start.u8(offset) &- 1 < 127 { offset &+= 1 }
      return offset == text.count
    }
    let last = text.count &- 8
    // A byte from 1 to 127, and the same byte minus 1, have a clear highest bit. A borrow comes
    // only from a 0, which sets it.
    func isSimple(_ word: UInt64) -> Bool {
      (word | (word &- 0x0101_0101_0101_0101)) & 0x8080_8080_8080_8080 == 0
    }
    var offset = 0
    while offset < last {
      if !isSimple(start.u64(offset)) { return false }
      offset &+= 8
    }
    return isSimple(start.u64(last))
  }

  /// Appends a value of this type. Collections have no order and no keys.
  package static func append(
    _ value: Value, as type: FieldType, to key: inout ByteBuffer, cutBehind most: Int = textBytes
  ) throws(RecordFault) {
    switch (type, value) {
    case (.string, .string(let text)), (.url, .url(let text)):
      var text = text
      text.withUTF8 { append(text: UnsafeRawBufferPointer($0), to: &key, cutBehind: most) }
    case (.data, .data(let data)): data.withUnsafeBytes { append(data: $0, to: &key, cutBehind: most) }
    default:
      guard let width = type.width else { throw RecordFault(.wrongType, "\(value.kind) has no place in an index") }
      var fault: RecordFault?
      withUnsafeTemporaryAllocation(byteCount: max(width, 1), alignment: 8) { memory in
        do throws(RecordFault) {
          try FixedCoding.write(value, as: type, to: memory.baseAddress!)
          appendFixed(UnsafeRawPointer(memory.baseAddress!), as: type, to: &key)
        } catch { fault = error }
      }
      if let fault { throw fault }
    }
  }

  /// Appends a field of fixed width from its bytes in a row.
  package static func appendFixed(_ memory: UnsafeRawPointer, as type: FieldType, to key: inout ByteBuffer) {
    appendFixed(memory, as: KeyKind(type), to: &key)
  }
}
