import RoostTransfer
import Testing

/// A pipe returns its bytes, and may be empty in the middle of a record.
@Suite struct PipeReadingTests {
  /// Returns one part, then is empty until it is opened.
  private final class Parts: ByteInput {
    private var parts: [[UInt8]]
    var isOpen = false

    init(_ parts: String...) { self.parts = parts.map { Array($0.utf8) } }

    func isReady(by deadline: ContinuousClock.Instant) -> Bool { isOpen || parts.count > 1 }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
      if parts.isEmpty { return 0 }
      let part = parts.removeFirst()
      buffer.copyBytes(from: part)
      return part.count
    }
  }

  /// Before the fix, the first half of the record was lost, or was taken for the whole record.
  @Test func `half a record waits for its other half beyond a deadline`() throws {
    let input = Parts("{\"a\": 1}\n{\"a\": ", "2}\n")
    let reader = try TextReader(input, .jsonLines)
    let batch = try RecordBatch()
    #expect(try reader.next(batch, by: nil) == .records)
    #expect(batch.records.count == 1 && batch.records[0].fault == nil)
    for _ in 0..<2 { #expect(try reader.next(batch, by: .now) == .late) }
    input.isOpen = true
    #expect(try reader.next(batch, by: nil) == .records)
    #expect(batch.records.count == 1 && batch.records[0].fault == nil)
    #expect(try reader.next(batch, by: nil) == .end)
  }
}
