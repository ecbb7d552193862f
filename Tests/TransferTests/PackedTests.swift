import RoostBytes
import RoostRecords
import RoostTestSupport
import RoostTransfer
import Testing

/// LZ4 frames.
@Suite struct PackedTests {
  static func packed(_ bytes: [UInt8], pieces: Int = 1) throws -> [UInt8] {
    let packer = try #require(FramePacker())
    var all = try #require(packer.begin())
    let size = max(1, bytes.count / pieces)
    for start in stride(from: 0, to: bytes.count, by: size) {
      all += try #require(bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { packer.add($0) })
    }
    return all + (try #require(packer.end()))
  }

  static func unpacked(_ bytes: [UInt8], piece: Int, room: Int) throws -> [UInt8] {
    let input = try UnpackedInput(MemoryInput(bytes), piece: piece)
    var (all, buffer): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: room))
    while true {
      let count = try buffer.withUnsafeMutableBytes { try input.read(into: $0) }
      if count == 0 { return all }
      all += buffer.prefix(count)
    }
  }

  @Test(arguments: 1...12)
  func `frames are unpacked to the same bytes`(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let bytes = (0..<Int.random(in: 0...400_000, using: &random)).map { UInt8(truncatingIfNeeded: $0 / 7 * 31) & 0x3F }
    let frame = try Self.packed(bytes, pieces: Int.random(in: 1...9, using: &random))
    #expect(UnpackedInput.isFrame(frame))
    let (piece, room) = (Int.random(in: 1...9999, using: &random), Int.random(in: 1...99_999, using: &random))
    #expect(try Self.unpacked(frame, piece: piece, room: room) == bytes)
    // Two frames are one input.
    #expect(try Self.unpacked(frame + frame, piece: piece, room: room) == bytes + bytes)
    // A truncated or changed frame is an error.
    let cut = Int.random(in: 5..<frame.count, using: &random)
    #expect(throws: TransferFault.self) { try Self.unpacked(Array(frame.prefix(cut)), piece: piece, room: room) }
    var changed = frame
    changed[Int.random(in: 0..<frame.count, using: &random)] ^= 1 << UInt8.random(in: 0...7, using: &random)
    let back = try? Self.unpacked(changed, piece: piece, room: room)
    #expect(back == nil || back == bytes)
  }

  /// A pipe that returns the available bytes. A read that would wait is an error of the test.
  private final class LivePipe: ByteInput {
    private var bytes: ArraySlice<UInt8> = []
    private(set) var waited = 0

    func write(_ more: some Sequence<UInt8>) { bytes += more }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
      if bytes.isEmpty { waited += 1 }
      let some = bytes.prefix(buffer.count)
      buffer.copyBytes(from: some)
      bytes = bytes.dropFirst(some.count)
      return some.count
    }

    func isReady(by deadline: ContinuousClock.Instant) -> Bool { !bytes.isEmpty }
  }

  /// Before the fix, half a block of a compressed pipe counted as readable bytes. The reader waited
  /// for the other half, and did not store the records before it meanwhile. Bytes of a block beyond
  /// the reader's buffer were kept until more bytes came.
  @Test(arguments: [1, 700, 65_536], [1000, 200_000])
  func `the available bytes of a pipe are read without waiting for more`(_ room: Int, _ size: Int) throws {
    let pipe = LivePipe()
    let input = try UnpackedInput(pipe)
    func read() throws -> [UInt8] {
      var (all, buffer): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: room))
      while input.isReady(by: .now) {
        let count = try buffer.withUnsafeMutableBytes { try input.read(into: $0) }
        all += buffer.prefix(count)
      }
      return all
    }
    var random = SplitMix64(seed: UInt64(room + size))
    for _ in 0..<3 {
      let text = (0..<size).map { _ in UInt8.random(in: 97...104, using: &random) }
      let frame = try Self.packed(text)
      pipe.write(frame.dropLast(9))
      let first = try read()
      pipe.write(frame.suffix(9))
      #expect(try first + read() == text && pipe.waited == 0)
      let half = frame.count / 2
      pipe.write(frame.prefix(half))
      let start = try read()
      #expect(pipe.waited == 0 && text.starts(with: start))
      pipe.write(frame.dropFirst(half))
      #expect(try start + read() == text && pipe.waited == 0)
    }
  }

  @Test func `a table in a frame`() throws {
    let frame = try Self.packed(Array("a,b\n1,2\n".utf8))
    let found = try Reading.all(UnpackedInput(MemoryInput(frame)), .csv())
    #expect(found.names == ["a", "b"] && found.found == [.record([.bare("1"), .bare("2")])])
    #expect(throws: TransferFault.self) { try Reading.all(UnpackedInput(MemoryInput(Array("a,b\n".utf8))), .csv()) }
  }
}
