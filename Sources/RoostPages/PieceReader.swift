import RoostBytes
import RoostFile

/// Splits the payloads of a record's frames into pieces: u8 kind, varint length, bytes.
///
/// A piece may extend over several frames; then it is assembled first. No memory is allocated for a
/// length before its bytes have been read.
struct PieceReader {
  private var rest: [UInt8] = []

  /// Passes every whole piece to `body`. After the record's last payload no bytes may remain.
  mutating func read(
    _ payload: UnsafeRawBufferPointer, isLast: Bool,
    _ body: (UInt8, UnsafeRawBufferPointer) throws(StoreError) -> Void
  ) throws(StoreError) {
    if rest.isEmpty {
      let used = try Self.split(payload, body)
      rest.append(contentsOf: payload[used...])
    } else {
      rest.append(contentsOf: payload)
      var used = 0
      var failure: StoreError?
      rest.withUnsafeBytes { bytes in
        do throws(StoreError) { used = try Self.split(bytes, body) } catch { failure = error }
      }
      if let failure { throw failure }
      rest.removeFirst(used)
    }
    if isLast && !rest.isEmpty {
      throw StoreError(.logDamaged, "a record in the log ends within a piece")
    }
  }

  /// Returns the number of bytes of the whole pieces.
  private static func split(
    _ bytes: UnsafeRawBufferPointer, _ body: (UInt8, UnsafeRawBufferPointer) throws(StoreError) -> Void
  ) throws(StoreError) -> Int {
    var at = 0
    while at < bytes.count {
      guard let (length, width) = Varint.decode(UnsafeRawBufferPointer(rebasing: bytes[(at + 1)...])) else {
        if bytes.count - at > 1 + Varint.most { throw StoreError(.logDamaged, "a length in the log is unreadable") }
        return at
      }
      let start = at + 1 + width
      guard length <= UInt64(bytes.count - start) else { return at }
      try body(bytes[at], UnsafeRawBufferPointer(rebasing: bytes[start..<start + Int(length)]))
      at = start + Int(length)
    }
    return at
  }
}
