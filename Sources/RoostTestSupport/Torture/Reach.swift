internal import RoostBytes
internal import RoostPages
internal import RoostTrees

/// The places that a superblock reaches in a file's bytes, found without the store's own code.
///
/// It knows the layouts of superblock and free map from their documentation, follows every
/// reference, and compares every checksum. The trees' pages are decoded by their accessors.
package struct Reach {
  package private(set) var places = Set<UInt32>()
  /// Errors: wrong checksums, and places after the end.
  package private(set) var complaints: [String] = []
  private let file: [UInt8]

  /// The fields of a superblock with a valid checksum.
  package struct Head {
    package var sequence: UInt64
    package var pageCount: UInt32
    package var namesLog: Bool
    package var logSegment: UInt32
    package var logSalt: UInt64
    fileprivate var catalog: (place: UInt32, check: UInt64)
    fileprivate var map: (place: UInt32, check: UInt64)
    /// Pages and their copies.
    package var copies: [(page: UInt32, copy: UInt32)]

    package init?(_ bytes: ArraySlice<UInt8>) {
      guard bytes.count == 4096, bytes.starts(with: Array("ROOSTDB1".utf8)) else { return nil }
      let head: Head? = bytes.withUnsafeBytes { buffer in
        let memory = buffer.baseAddress!
        guard Checksum.of(UnsafeRawBufferPointer(rebasing: buffer[..<4088])) == memory.u64(4088) else { return nil }
        return Head(memory)
      }
      guard let head else { return nil }
      self = head
    }

    private init(_ memory: UnsafeRawPointer) {
      sequence = memory.u64(32)
      pageCount = memory.u32(84)
      namesLog = memory.u32(96) == 2
      logSegment = memory.u32(100)
      logSalt = memory.u64(104)
      catalog = (memory.u32(56), memory.u64(64))
      map = (memory.u32(80), memory.u64(88))
      let count = memory.u32(8) == 1 ? 0 : min(480, Int(memory.u32(120)))
      copies = (0..<count).map { (memory.u32(136 + $0 * 8), memory.u32(140 + $0 * 8)) }
    }
  }

  /// The newest superblock of a file's bytes.
  package static func newest(_ file: [UInt8]) -> Head? { heads(file).max { $0.sequence < $1.sequence } }

  /// The valid superblocks of a file's bytes.
  static func heads(_ file: [UInt8]) -> [Head] {
    [0, 4096].compactMap { file.count >= $0 + 4096 ? Head(file[$0..<$0 + 4096]) : nil }
  }

  package init(_ head: Head, in file: [UInt8]) {
    self.file = file
    if file.count < Int(head.pageCount) * 4096 {
      complaints.append("the file has \(file.count) bytes where \(head.pageCount) pages are named")
    }
    var open = [(head.catalog.place, head.catalog.check)]
    if head.map.place != 0 { open.append((head.map.place, head.map.check)) }
    while let (place, check) = open.popLast() {
      if place == 0 { continue }
      guard let memory = take(place, count: 4096, check) else { continue }
      memory.withUnsafeBytes { open += below($0.baseAddress!, place) }
    }
    for (page, copy) in head.copies { compare(page, copy) }
  }

  private mutating func compare(_ page: UInt32, _ copy: UInt32) {
    if !places.contains(page) { complaints.append("place \(page) has a copy, but nothing references it") }
    if !places.insert(copy).inserted {
      complaints.append("place \(copy) is a copy, but another reference reaches it too")
    }
    let (start, other) = (Int(page) * 4096, Int(copy) * 4096)
    guard start + 4096 <= file.count, other + 4096 <= file.count else {
      return complaints.append("place \(page) or its copy \(copy) is beyond the end")
    }
    if file[start..<start + 4096] != file[other..<other + 4096] {
      complaints.append("place \(copy) is the copy of place \(page), but has other bytes")
    }
  }

  private mutating func take(_ place: UInt32, count: Int, _ check: UInt64) -> ArraySlice<UInt8>? {
    let start = Int(place) * 4096
    let pages = UInt32((count + 4095) / 4096)
    for member in place..<place + pages where !places.insert(member).inserted {
      complaints.append("place \(member) is reached twice")
    }
    guard start + count <= file.count else {
      complaints.append("place \(place) is beyond the end")
      return nil
    }
    let bytes = file[start..<start + count]
    guard bytes.withUnsafeBytes({ Checksum.of($0) }) == check else {
      complaints.append("the bytes at place \(place) are not what its parent means")
      return nil
    }
    return bytes
  }

  /// The references in a page. Adds the places of its extents.
  private mutating func below(_ page: UnsafeRawPointer, _ place: UInt32) -> [(UInt32, UInt64)] {
    switch page.u8(0) {
    case 6:
      return (0..<Int(page.u16(2))).map { (page.u32(40 + $0 * 16), page.u64(48 + $0 * 16)) }
    case 5: return []
    default: break
    }
    if let complaint = Complaint.about(PageID(place), page) {
      complaints.append("place \(place): \(complaint)")
      return []
    }
    let count = Int(page.u16(2))
    if page.u8(1) > 0 {
      return (0..<count).map { index in
        let cell = Branch.cell(page, index)
        return (cell.u32(0), cell.u64(4))
      }
    }
    let isCatalog = page.u32(4) == 0
    var found: [(UInt32, UInt64)] = []
    for index in 0..<count {
      let value = page.u8(0) == 2 ? IntegerLeaf.value(page, index) : ByteNode.value(page, index)
      if value.isExtents {
        guard let list = ExtentList(decoding: value.bytes) else { continue }
        take(list)
      } else if isCatalog, value.count == 36 {
        found.append((value.start.u32(8), value.start.u64(12)))
      }
    }
    return found
  }

  private mutating func take(_ list: ExtentList) {
    for extent in list.extents {
      let stored = take(extent.place, count: Int(extent.storedBytes), extent.check)
      guard list.isIndirect, let stored else { continue }
      var inner = Array(stored)
      if extent.storedBytes != extent.rawBytes {
        inner = [UInt8](repeating: 0, count: Int(extent.rawBytes))
        let isWhole = stored.withUnsafeBytes { source in
          inner.withUnsafeMutableBytes { Compression.decompress(source, into: $0) }
        }
        if !isWhole { complaints.append("the list of extents at place \(extent.place) does not decompress") }
      }
      for at in stride(from: 0, to: inner.count, by: 20) {
        let (place, count, check) = inner.withUnsafeBytes { buffer in
          let memory = buffer.baseAddress! + at
          return (memory.u32(0), Int(memory.u32(4)), memory.u64(12))
        }
        _ = take(place, count: count, check)
      }
    }
  }
}
