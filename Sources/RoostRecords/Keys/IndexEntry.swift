internal import RoostBytes

/// How an index's entries name their rows.
///
/// ## Layout
/// Where the values alone must be one row's, the key is the values and the entry's value is u8 0 and the row's
/// order-keeping number. Everywhere else, and in a unique index where a part is nil or a text was cut, the row's number
/// ends the key, and the entry's value is one byte: how many bytes of the key that number takes.
enum IndexEntry {
  /// The row of an entry, and how much of the key is values; nil where the bytes are no entry.
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
