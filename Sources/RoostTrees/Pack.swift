internal import RoostBytes
internal import RoostPages

/// One entry copied out of a node.
struct PackedEntry {
  /// An integer key, or the arena offset of a byte key's part behind the shared prefix.
  var key: UInt64
  var keyLength: UInt16
  /// The payload's length, with the extent flag.
  var length: UInt16
  /// The payload's arena offset: a value, or a child.
  var payload: UInt32

  var byteCount: Int { Int(length & ~Node.extentFlag) }
}

/// A bound between nodes, as a pack holds it.
struct Fence {
  /// An integer key, or an arena offset.
  var key: UInt64
  /// The length of a byte key behind the shared prefix; -1 where nothing bounds the node.
  var length: Int

  static let unbounded = Fence(key: 0, length: -1)
  var isUnbounded: Bool { length < 0 }
}

/// A node just rebuilt, on its way into its parent.
struct FreshNode {
  var page: PageID
  var memory: UnsafeMutableRawPointer
  var count: UInt64
}

/// The entries of a few sibling nodes, copied out so that the nodes can be rebuilt.
///
/// Splitting, shifting and merging are one act: gather the entries of one to three neighbours, cut them into
/// as many nodes as needed, write those. The arena is kept from one act to the next.
///
/// ## Layout
/// The arena begins with the low fence of the first node; its first `shared` bytes are common to all keys
/// and stand nowhere else.
final class Pack {
  private(set) var arena: UnsafeMutableRawPointer
  private var capacity: Int
  private(set) var used = 0
  private(set) var entries: UnsafeMutablePointer<PackedEntry>
  private var entryCapacity: Int
  private(set) var count = 0
  var shared = 0
  var low = Fence.unbounded
  var high = Fence.unbounded
  /// Where each node ends, filled by `divide`.
  var cuts: [Int] = []

  init() {
    capacity = 32768
    arena = .allocate(byteCount: capacity, alignment: 16)
    entryCapacity = 1024
    entries = .allocate(capacity: entryCapacity)
  }

  deinit {
    arena.deallocate()
    entries.deallocate()
  }

  func clear() {
    used = 0
    count = 0
    shared = 0
  }

  /// Takes room at the arena's end and tells where.
  func take(_ bytes: Int) -> Int {
    if used &+ bytes > capacity { grow(bytes) }
    defer { used &+= bytes }
    return used
  }

  @discardableResult
  func store(_ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    let offset = take(count)
    (arena + offset).copyMemory(from: bytes, byteCount: count)
    return offset
  }

  func append(_ entry: PackedEntry) {
    if count == entryCapacity { growEntries() }
    entries[count] = entry
    count &+= 1
  }

  /// Forgets the first entries; their bytes stay until the next `clear`.
  func removeFirst(_ number: Int) {
    entries.update(from: entries + number, count: count &- number)
    count &-= number
  }

  func key(_ entry: PackedEntry) -> ByteKey { ByteKey(arena + Int(entry.key), Int(entry.keyLength)) }
  func key(_ fence: Fence) -> ByteKey { ByteKey(arena + Int(fence.key), max(0, fence.length)) }

  private func grow(_ bytes: Int) {
    let larger = max(capacity * 2, used + bytes)
    let new = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
    new.copyMemory(from: arena, byteCount: used)
    arena.deallocate()
    arena = new
    capacity = larger
  }

  private func growEntries() {
    let new = UnsafeMutablePointer<PackedEntry>.allocate(capacity: entryCapacity * 2)
    new.update(from: entries, count: count)
    entries.deallocate()
    entries = new
    entryCapacity *= 2
  }
}
