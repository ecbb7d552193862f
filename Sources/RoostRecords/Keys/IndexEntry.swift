internal import RoostBytes

/// The format of index entries.
///
/// ## Layout
/// If the values must be unique, the key is the values, and the entry's value is u8 0 and the row's
/// order-keeping number. In all other cases the row's number follows the values in the key, and the
/// entry's value is one byte: the number of bytes of that number in the key. This includes a unique
/// index if a part is nil or a text was cut.
enum IndexEntry {
  /// The row of an entry, and the number of key bytes that are values; nil if the bytes are not a
  /// valid entry.
  static func row(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) -> (row: RowID, valueBytes: Int)? {
    guard let first = value.first else { return nil }
    if first == 0 { return KeyCoding.row(endOf: value, from: 1).map { ($0, key.count) } }
    let start = key.count - Int(first)
    guard value.count == 1, start >= 0, let row = KeyCoding.row(endOf: key, from: start) else { return nil }
    return (row, start)
  }
}
