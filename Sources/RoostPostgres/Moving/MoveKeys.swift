#if Postgres
  internal import RoostRecords

  /// The keys in a database for the rows of a file's class. Each key contains the row's number,
  /// which can be read back.
  ///
  /// So an interrupted push finds the rows that it has written, and it can write references before
  /// the rows that they reference.
  ///
  /// ## Layout
  /// A UUID of version 8. Its first byte is 0, so these keys sort before those that programs make
  /// from the time (version 7).
  /// ```
  /// high  0 (8 bits), hash of store and class (40), 8 (4), row number, highest bits (12)
  /// low   2 (2 bits), row number, other bits (52), hash of store and class (10)
  /// ```
  struct MoveKeys {
    private let hash: UInt64

    init(store: String, model: String) {
      var digest = MoveHash()
      digest.add(store)
      digest.add(model)
      hash = digest.value
    }

    private var high: UInt64 { (hash >> 24) << 16 | 8 << 12 }
    private var low: UInt64 { 1 << 63 | hash & 0x3FF }

    func key(_ row: UInt64) -> UUIDNumber {
      UUIDNumber(high: high | row >> 52, low: low | (row & (1 << 52 - 1)) << 10)
    }

    /// Nil for any other key.
    func row(_ key: UUIDNumber) -> UInt64? {
      let row = (key.high & 0xFFF) << 52 | key.low >> 10 & (1 << 52 - 1)
      return self.key(row) == key ? row : nil
    }

    /// The least and the greatest key.
    var bounds: (least: UUIDNumber, greatest: UUIDNumber) { (key(0), key(.max)) }
  }
#endif
