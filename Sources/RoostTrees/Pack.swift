internal import RoostBytes
internal import RoostPages

/// One entry copied out of a node.
struct PackedEntry {
  /// An integer key, or the arena offset of a byte key's part after the shared prefix.
  var key: UInt64
  var keyLength: UInt16
  /// The payload's length, with the extent flag.
  var length: UInt16
  /// The payload's arena offset: a value, or a child.
  var payload: UInt32

  var byteCount: Int { Int(length & ~Node.extentFlag) }
}

/// A bound between nodes, in a pack.
struct Fence {
  /// An integer key, or an arena offset.
  var key: UInt64
  /// The length of a byte key after the shared prefix; -1 if there is no bound.
  var length: Int

  static let unbounded = Fence(key: 0, length: -1)
  var isUnbounded: Bool { length < 0 }
}

/// A rebuilt node that is not in its parent yet.
struct FreshNode {
  var page: PageID
  var memory: UnsafeMutableRawPointer
  var count: UInt64
}

/// The entries of a few sibling nodes, copied so that the nodes can be rebuilt.
///
/// Splitting, balancing and merging are one operation: collect the entries of one to three
/// neighbours, divide them into as many nodes as needed, write those. The arena is reused by later
/// operations.
///
/// Copies share their state without reference counting: the code that made a pack releases it with
/// ``discard()``.
///
/// ## Layout
/// The arena begins with the low fence of the first node. Its first `shared` bytes are common to
/// all keys and are stored nowhere else.
struct Pack {
  private struct State {
    var arena: UnsafeMutableRawPointer
    var capacity = 32768
    var used = 0
    var entries: UnsafeMutablePointer<PackedEntry>
    var entryCapacity = 1024
    var count = 0
    var shared = 0
    var low = Fence.unbounded
    var high = Fence.unbounded
    var cuts: [Int] = []
  }

  private let state: UnsafeMutablePointer<State>

  init() {
    state = .allocate(capacity: 1)
    state.initialize(
      to: State(arena: .allocate(byteCount: 32768, alignment: 16), entries: .allocate(capacity: 1024)))
  }

  func discard() {
    state.pointee.arena.deallocate()
    state.pointee.entries.deallocate()
    state.deinitialize(count: 1)
    state.deallocate()
  }

  var arena: UnsafeMutableRawPointer { state.pointee.arena }
  var entries: UnsafeMutablePointer<PackedEntry> { state.pointee.entries }
  var count: Int { state.pointee.count }
  /// The number of used bytes of the arena.
  var used: Int {
    get { state.pointee.used }
    nonmutating set { state.pointee.used = newValue }
  }
  var shared: Int {
    get { state.pointee.shared }
    nonmutating set { state.pointee.shared = newValue }
  }
  var low: Fence {
    get { state.pointee.low }
    nonmutating set { state.pointee.low = newValue }
  }
  var high: Fence {
    get { state.pointee.high }
    nonmutating set { state.pointee.high = newValue }
  }
  /// The ends of the nodes, set by `divide`.
  var cuts: [Int] {
    get { state.pointee.cuts }
    nonmutating _modify { yield &state.pointee.cuts }
  }

  func clear() {
    state.pointee.used = 0
    state.pointee.count = 0
    state.pointee.shared = 0
  }

  /// Takes room at the arena's end and returns its offset.
  func take(_ bytes: Int) -> Int {
    let used = state.pointee.used
    if used &+ bytes > state.pointee.capacity { grow(bytes) }
    state.pointee.used = used &+ bytes
    return used
  }

  @discardableResult
  func store(_ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    let offset = take(count)
    (arena + offset).copyMemory(from: bytes, byteCount: count)
    return offset
  }

  func append(_ entry: PackedEntry) {
    let count = state.pointee.count
    if count == state.pointee.entryCapacity { growEntries() }
    state.pointee.entries[count] = entry
    state.pointee.count = count &+ 1
  }

  /// Makes room, so that the arena is not moved and ``appendReserved(_:)`` may be used.
  func reserve(bytes: Int, entries: Int) {
    if state.pointee.used + bytes > state.pointee.capacity { grow(bytes) }
    while state.pointee.count + entries > state.pointee.entryCapacity { growEntries() }
  }

  @inline(__always)
  func appendReserved(_ entry: PackedEntry) {
    let count = state.pointee.count
    state.pointee.entries[count] = entry
    state.pointee.count = count &+ 1
  }

  func key(_ entry: PackedEntry) -> ByteKey { ByteKey(arena + Int(entry.key), Int(entry.keyLength)) }
  func key(_ fence: Fence) -> ByteKey { ByteKey(arena + Int(fence.key), max(0, fence.length)) }

  private func grow(_ bytes: Int) {
    let larger = max(state.pointee.capacity * 2, state.pointee.used + bytes)
    let new = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
    new.copyMemory(from: arena, byteCount: state.pointee.used)
    arena.deallocate()
    state.pointee.arena = new
    state.pointee.capacity = larger
  }

  private func growEntries() {
    let larger = state.pointee.entryCapacity * 2
    let new = UnsafeMutablePointer<PackedEntry>.allocate(capacity: larger)
    new.update(from: entries, count: count)
    entries.deallocate()
    state.pointee.entries = new
    state.pointee.entryCapacity = larger
  }
}
