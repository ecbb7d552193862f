#if Postgres
  /// A 64-bit hash that is the same in every program.
  struct MoveHash {
    private(set) var value: UInt64 = 0x9E37_79B9_7F4A_7C15

    mutating func add(_ word: UInt64) {
      let (high, low) = (value ^ word).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
      value = (high ^ low) &+ 0xA076_1D64_78BD_642F
    }

    mutating func add(bytes: some Collection<UInt8>) {
      add(UInt64(bytes.count))
      var word: UInt64 = 0
      var count = 0
      for byte in bytes {
        word = word << 8 | UInt64(byte)
        count += 1
        if count == 8 {
          add(word)
          (word, count) = (0, 0)
        }
      }
      if count > 0 { add(word) }
    }

    mutating func add(_ text: String) { add(bytes: text.utf8) }
  }
#endif
