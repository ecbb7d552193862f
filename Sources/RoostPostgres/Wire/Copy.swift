#if Postgres
  internal import RoostRecords

  /// Rows for a table in the binary form of `COPY`.
  ///
  /// ## Layout
  /// ```
  /// 11 bytes "PGCOPY\n\u{FF}\r\n\0"   u32 flags   u32 bytes of extensions: 0
  /// each row: u16 number of fields; each field: i32 number of its bytes, or -1 for null, then the bytes
  /// i16 -1
  /// ```
  struct Copy {
    let text: String
    private let fields: Int16
    var wire = WireBytes()
    private(set) var count = 0

    init(_ table: String, _ names: [String]) {
      text = "COPY \(table) (\(names.joined(separator: ", "))) FROM STDIN (FORMAT binary)"
      fields = Int16(clamping: names.count)
      wire.append(Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0])
      wire.append(0 as UInt32)
      wire.append(0 as UInt32)
    }

    mutating func beginRow() {
      wire.append(fields)
      count += 1
    }

    /// The bytes after the last row.
    static let end: [UInt8] = [0xFF, 0xFF]
  }
#endif
