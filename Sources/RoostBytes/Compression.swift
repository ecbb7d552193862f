internal import CLZ4

/// LZ4 blocks, with every size checked before memory is touched.
package enum Compression {
  /// The most bytes one block may hold, before compression.
  package static let largestBlock = 1 << 24

  /// The library's version. Another version may compress the same bytes differently.
  package static var libraryVersion: Int { Int(LZ4_versionNumber()) }

  /// An upper bound of the compressed size of `count` bytes.
  package static func bound(_ count: Int) -> Int { count + count / 255 + 16 }

  /// Compresses `source` into `target`; nil if it does not fit.
  package static func compress(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Int? {
    guard source.count <= largestBlock, target.count > 0, source.count > 0 else { return nil }
    let count = LZ4_compress_default(
      source.baseAddress!.assumingMemoryBound(to: CChar.self),
      target.baseAddress!.assumingMemoryBound(to: CChar.self),
      Int32(source.count), Int32(min(target.count, Int(Int32.max))))
    return count > 0 ? Int(count) : nil
  }

  /// Decompresses a block whose original size is known. Returns false if the bytes are not such a
  /// block.
  package static func decompress(
    _ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
  ) -> Bool {
    guard source.count > 0, target.count > 0, source.count <= Int(Int32.max), target.count <= largestBlock
    else { return false }
    let count = LZ4_decompress_safe(
      source.baseAddress!.assumingMemoryBound(to: CChar.self),
      target.baseAddress!.assumingMemoryBound(to: CChar.self),
      Int32(source.count), Int32(target.count))
    return Int(count) == target.count
  }
}
