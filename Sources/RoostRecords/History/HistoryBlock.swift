internal import RoostBytes
internal import RoostFile

/// A value of the tree of the history: an entry, a segment of entries, or a gap. Its key is the number of the first
/// transaction in it.
///
/// ## Layout
/// ```
/// 0 entry      u16 single entries before it, u32 their bytes, u64 stamp, the entry
/// 1 segment    u16 entries - 1, u64 last number, u64 last stamp, table and entries
/// 2 segment    the same, u32 bytes of table and entries, and these as an LZ4 block
/// 3 gap        u64 the stamp before it, u64 the last transaction in it; 0 while the history is off
/// table        varints for each entry: distance of its number from the one before (of the first: from the key), of
///              its stamp (of the first: from 0), its bytes
/// ```
enum HistoryBlock {
  static let entry: UInt8 = 0
  static let segment: UInt8 = 1
  static let pressed: UInt8 = 2
  static let gap: UInt8 = 3

  /// The bytes before the entry itself, and before the table.
  static let entryHead = 15
  static let segmentHead = 19
  static let gapBytes = 17

  /// The head of a value, read without its entries.
  struct Head: Equatable {
    var kind: UInt8
    /// The newest number and time in it. An open gap has the largest possible number.
    var last: UInt64
    var stamp: HybridTime
    /// For a single entry: the number of single entries before it, their bytes, and its own bytes.
    var ordinal = 0
    var bytesBefore = 0
    var byteCount = 0

    var isGap: Bool { kind == HistoryBlock.gap }
    var isOpen: Bool { isGap && last == .max }

    init?(_ key: UInt64, _ bytes: UnsafeRawBufferPointer) {
      guard let start = bytes.baseAddress, let kind = bytes.first else { return nil }
      self.kind = kind
      switch kind {
      case HistoryBlock.entry:
        guard bytes.count >= HistoryBlock.entryHead else { return nil }
        (ordinal, bytesBefore) = (Int(start.u16(1)), Int(start.u32(3)))
        byteCount = bytes.count - HistoryBlock.entryHead
        (last, stamp) = (key, HybridTime(bits: start.u64(7)))
      case HistoryBlock.segment, HistoryBlock.pressed:
        guard bytes.count >= HistoryBlock.segmentHead else { return nil }
        (last, stamp) = (start.u64(3), HybridTime(bits: start.u64(11)))
      case HistoryBlock.gap:
        guard bytes.count == HistoryBlock.gapBytes else { return nil }
        stamp = HybridTime(bits: start.u64(1))
        last = start.u64(9) == 0 ? .max : start.u64(9)
      default: return nil
      }
      guard last >= key else { return nil }
    }
  }

  static func unreadable(_ key: UInt64) -> StoreError {
    StoreError(.damaged, "the history of transaction \(key) is unreadable")
  }

  // MARK: Writing

  struct Member {
    var number: UInt64
    var stamp: HybridTime
    var bytes: [UInt8]
  }

  static func entry(_ stamp: HybridTime, ordinal: Int, bytesBefore: Int, _ bytes: [UInt8]) -> [UInt8] {
    var value = [UInt8](repeating: entry, count: entryHead)
    value.withUnsafeMutableBytes { memory in
      memory.baseAddress!.set16(1, UInt16(clamping: ordinal))
      memory.baseAddress!.set32(3, UInt32(clamping: bytesBefore))
      memory.baseAddress!.set64(7, stamp.bits)
    }
    return value + bytes
  }

  static func gap(_ stamp: HybridTime, last: UInt64?) -> [UInt8] {
    var value = [UInt8](repeating: gap, count: gapBytes)
    value.withUnsafeMutableBytes { memory in
      memory.baseAddress!.set64(1, stamp.bits)
      memory.baseAddress!.set64(9, last ?? 0)
    }
    return value
  }

  /// Makes a segment of 1 to 65,536 entries. It is compressed if that is smaller.
  static func segment(_ members: [Member]) -> [UInt8] {
    var body = ByteWriter()
    var (number, stamp) = (members[0].number, UInt64(0))
    for member in members {
      body.number(member.number - number)
      body.number(member.stamp.bits - stamp)
      body.number(UInt64(member.bytes.count))
      (number, stamp) = (member.number, member.stamp.bits)
    }
    for member in members { member.bytes.withUnsafeBytes { body.plain($0) } }
    let pressed = press(body.bytes)
    var value = [UInt8](repeating: segment, count: segmentHead)
    value.withUnsafeMutableBytes { memory in
      if pressed != nil { memory[0] = self.pressed }
      memory.baseAddress!.set16(1, UInt16(clamping: members.count - 1))
      memory.baseAddress!.set64(3, number)
      memory.baseAddress!.set64(11, stamp)
    }
    return value + (pressed ?? body.bytes)
  }

  /// The length and the LZ4 block; nil if that is no shorter.
  private static func press(_ body: [UInt8]) -> [UInt8]? {
    guard body.count <= Compression.largestBlock, body.count > 16 else { return nil }
    // With less room than the body takes, LZ4 stops early if compression does not help.
    let block = [UInt8](unsafeUninitializedCapacity: body.count - 4) { memory, count in
      memory.withMemoryRebound(to: UInt8.self) { memory in
        count =
          body.withUnsafeBytes { Compression.compress($0, into: UnsafeMutableRawBufferPointer(memory)) } ?? 0
      }
    }
    if block.isEmpty { return nil }
    var length = [UInt8](repeating: 0, count: 4)
    length.withUnsafeMutableBytes { $0.baseAddress!.set32(0, UInt32(body.count)) }
    return length + block
  }
}

/// A value of the tree with its decoded entries.
struct HistoryContent {
  struct Item {
    var number: UInt64
    var stamp: HybridTime
    /// The range of the entry in `bytes`.
    var range: Range<Int>
  }

  let head: HistoryBlock.Head
  let bytes: [UInt8]
  /// Ascending by number and by stamp; empty for a gap.
  let items: [Item]

  init(_ key: UInt64, _ value: [UInt8]) throws(StoreError) {
    let found = value.withUnsafeBytes { HistoryBlock.Head(key, $0) }
    guard let head = found else { throw HistoryBlock.unreadable(key) }
    self.head = head
    switch head.kind {
    case HistoryBlock.entry:
      bytes = value
      items = [Item(number: key, stamp: head.stamp, range: HistoryBlock.entryHead..<value.count)]
    case HistoryBlock.gap:
      bytes = []
      items = []
    default:
      bytes = try head.kind == HistoryBlock.pressed ? Self.unpressed(key, value) : value
      let start = head.kind == HistoryBlock.pressed ? 0 : HistoryBlock.segmentHead
      let count = Int(value.withUnsafeBytes { $0.baseAddress!.u16(1) }) + 1
      do { items = try bytes.withUnsafeBytes { try Self.items($0, from: start, key, count: count) } } catch {
        throw HistoryBlock.unreadable(key)
      }
      guard items.last?.number == head.last, items.last?.stamp == head.stamp else {
        throw HistoryBlock.unreadable(key)
      }
    }
  }

  private static func unpressed(_ key: UInt64, _ value: [UInt8]) throws(StoreError) -> [UInt8] {
    let start = HistoryBlock.segmentHead + 4
    guard value.count > start else { throw HistoryBlock.unreadable(key) }
    let count = Int(value.withUnsafeBytes { $0.baseAddress!.u32(HistoryBlock.segmentHead) })
    // LZ4 expands one byte to at most 255. So the memory is bounded by the size of the file.
    guard count > 0, count <= Compression.largestBlock, count <= (value.count - start) * 255 else {
      throw HistoryBlock.unreadable(key)
    }
    var bytes = [UInt8](repeating: 0, count: count)
    let isWhole = bytes.withUnsafeMutableBytes { target in
      value.withUnsafeBytes { Compression.decompress(UnsafeRawBufferPointer(rebasing: $0[start...]), into: target) }
    }
    guard isWhole else { throw HistoryBlock.unreadable(key) }
    return bytes
  }

  private static func items(
    _ bytes: UnsafeRawBufferPointer, from start: Int, _ key: UInt64, count: Int
  ) throws -> [Item] {
    var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[start...]))
    guard count * 3 <= reader.left else { throw ByteReader.Unreadable() }
    var items: [Item] = []
    var (number, stamp) = (key, UInt64(0))
    var lengths: [UInt64] = []
    for index in 0..<count {
      let (distance, later): (UInt64, UInt64) = (try reader.number(), try reader.number())
      let (next, overflows) = number.addingReportingOverflow(distance)
      let (time, isTooLate) = stamp.addingReportingOverflow(later)
      guard !overflows, !isTooLate, index == 0 ? distance == 0 : distance > 0 else { throw ByteReader.Unreadable() }
      (number, stamp) = (next, time)
      lengths.append(try reader.number())
      items.append(Item(number: number, stamp: HybridTime(bits: stamp), range: 0..<0))
    }
    for index in 0..<count {
      let at = start + reader.position
      items[index].range = at..<at + (try reader.take(lengths[index])).count
    }
    guard reader.isAtEnd else { throw ByteReader.Unreadable() }
    return items
  }

  func entry(_ item: Item) throws(StoreError) -> HistoryEntry { try HistoryEntry(decoding: bytes, item.range) }

  var members: [HistoryBlock.Member] {
    items.map { .init(number: $0.number, stamp: $0.stamp, bytes: [UInt8](bytes[$0.range])) }
  }
}
