import RoostBytes
package import RoostFile

/// Writes a transaction's record.
extension WriteTransaction {
  /// Adds a piece to this transaction's record. `fill` must write all `count` bytes.
  ///
  /// Without a log, and while a log is replayed, nothing is recorded.
  @inline(__always)
  package func record(
    _ kind: UInt8, count: Int, _ fill: (UnsafeMutableRawPointer) -> Void
  ) throws(StoreError) {
    hasRecords = true
    guard let borrowedLog else { return }
    let header = 1 + Varint.byteCount(UInt64(count))
    if let memory = borrowedLog._withUnsafeGuaranteedRef({ $0.appendAtOnce(header + count) }) {
      Self.write(kind, count, header: header, fill: fill, to: memory)
    } else {
      try recordSlowly(kind, count, header: header, fill: fill)
    }
  }

  @inline(__always)
  private static func write(
    _ kind: UInt8, _ count: Int, header: Int, fill: (UnsafeMutableRawPointer) -> Void,
    to memory: UnsafeMutableRawPointer
  ) {
    memory.set8(0, kind)
    Varint.encode(UInt64(count), to: memory + 1)
    fill(memory + header)
  }

  /// Adds a piece if the log must begin another frame first.
  @inline(never)
  private func recordSlowly(
    _ kind: UInt8, _ count: Int, header: Int, fill: (UnsafeMutableRawPointer) -> Void
  ) throws(StoreError) {
    guard let log else { return }
    do throws(StoreError) {
      if header + count <= log.largestAppend {
        Self.write(kind, count, header: header, fill: fill, to: try log.append(header + count))
      } else {
        try recordLarge(log, kind, count: count, header: header, fill: fill)
      }
    } catch {
      // Pages have changed and the record does not contain that. The transaction can only be rolled
      // back.
      recordFailure = error
      throw error
    }
  }

  private func recordLarge(
    _ log: Log, _ kind: UInt8, count: Int, header: Int, fill: (UnsafeMutableRawPointer) -> Void
  ) throws(StoreError) {
    let whole = UnsafeMutableRawPointer.allocate(byteCount: header + count, alignment: 8)
    defer { whole.deallocate() }
    whole.set8(0, kind)
    Varint.encode(UInt64(count), to: whole + 1)
    fill(whole + header)
    var done = 0
    while done < header + count {
      let part = min(log.largestAppend, header + count - done)
      try log.append(part).copyMemory(from: whole + done, byteCount: part)
      done += part
    }
  }
}
