import RoostBytes
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
  func `frames come back as they were`(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let bytes = (0..<Int.random(in: 0...400_000, using: &random)).map { UInt8(truncatingIfNeeded: $0 / 7 * 31) & 0x3F }
    let frame = try Self.packed(bytes, pieces: Int.random(in: 1...9, using: &random))
    #expect(UnpackedInput.isFrame(frame))
    let (piece, room) = (Int.random(in: 1...9999, using: &random), Int.random(in: 1...99_999, using: &random))
    #expect(try Self.unpacked(frame, piece: piece, room: room) == bytes)
    // Two frames are one input.
    #expect(try Self.unpacked(frame + frame, piece: piece, room: room) == bytes + bytes)
    // One that is cut or changed is told.
    let cut = Int.random(in: 5..<frame.count, using: &random)
    #expect(throws: TransferFault.self) { try Self.unpacked(Array(frame.prefix(cut)), piece: piece, room: room) }
    var changed = frame
    changed[Int.random(in: 0..<frame.count, using: &random)] ^= 1 << UInt8.random(in: 0...7, using: &random)
    let back = try? Self.unpacked(changed, piece: piece, room: room)
    #expect(back == nil || back == bytes)
  }

  @Test func `a table out of a frame`() throws {
    let frame = try Self.packed(Array("a,b\n1,2\n".utf8))
    let found = try Reading.all(UnpackedInput(MemoryInput(frame)), .csv())
    #expect(found.names == ["a", "b"] && found.found == [.record([.bare("1"), .bare("2")])])
    #expect(throws: TransferFault.self) { try Reading.all(UnpackedInput(MemoryInput(Array("a,b\n".utf8))), .csv()) }
  }
}
