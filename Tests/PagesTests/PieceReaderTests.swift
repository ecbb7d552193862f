import RoostBytes
import RoostFile
import RoostTestSupport
import Testing

@testable import RoostPages

@Suite struct PieceReaderTests {
  private func piece(_ kind: UInt8, _ bytes: [UInt8]) -> [UInt8] {
    var length = [UInt8](repeating: 0, count: Varint.most)
    let count = length.withUnsafeMutableBytes { Varint.encode(UInt64(bytes.count), to: $0.baseAddress!) }
    return [kind] + length[..<count] + bytes
  }

  private func read(_ parts: [[UInt8]]) throws(StoreError) -> [[UInt8]] {
    var found: [[UInt8]] = []
    var reader = PieceReader()
    for (index, part) in parts.enumerated() {
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: part.count, alignment: 1)
      defer { copy.deallocate() }
      copy.copyBytes(from: part)
      try reader.read(UnsafeRawBufferPointer(copy), isLast: index + 1 == parts.count) { kind, bytes in
        found.append([kind] + bytes)
      }
    }
    return found
  }

  @Test(arguments: UInt64(1)...20) func `pieces are read back however they are cut`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let pieces = (0..<12).map { _ in (UInt8(generator.below(200)), generator.bytes(generator.pick([0, 1, 130, 3000]))) }
    let bytes = pieces.flatMap { piece($0.0, $0.1) }
    var parts: [[UInt8]] = []
    var start = 0
    while start < bytes.count {
      let count = min(bytes.count - start, generator.below(900))
      parts.append(Array(bytes[start..<start + count]))
      start += count
    }
    #expect(try read(parts) == pieces.map { [$0.0] + $0.1 })
  }

  @Test func `a record that ends within a piece is damaged`() {
    let bytes = piece(3, [1, 2, 3])
    for count in 1..<bytes.count {
      #expect(failure { () throws(StoreError) in _ = try read([Array(bytes[..<count])]) } == .logDamaged)
    }
  }

  @Test func `invalid lengths, and lengths larger than any memory, are damage`() {
    let endless = [3] + [UInt8](repeating: 0xFF, count: 30)
    let huge: [UInt8] = [3, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 0, 0, 0]
    #expect(failure { () throws(StoreError) in _ = try read([endless]) } == .logDamaged)
    #expect(failure { () throws(StoreError) in _ = try read([huge]) } == .logDamaged)
  }
}
