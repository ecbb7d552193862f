internal import RoostBytes
internal import RoostTrees

/// Changes of an index that are not yet applied to its tree, in a list.
///
/// The keys of a transaction's rows come in random order, and each would cost a search from the
/// root. Applied in key order, neighbours share that search, and a run of keys fills its leaves
/// instead of splitting them.
///
/// ## Invariants
/// 1. `changes[i]`, for i below `count`, has its key and then its value at `offset` in `bytes`.
/// 2. With `isFindable`, `places` maps a key's hash to the newest change of that key, plus one; 0
///    is free. It is at most half full. It grows by a factor of four, because growing fills it
///    again.
struct PendingEntries: ~Copyable {
  struct Change {
    /// The key's first eight bytes as a number, padded with zeros. Most comparisons need no more.
    var head: UInt64
    var offset: UInt32
    var keyLength: UInt16
    /// The length of the value; ``removal`` if the key is removed.
    var valueLength: UInt16
  }

  static let removal = UInt16.max
  /// The most bytes that may wait.
  static let most = 4 << 20

  private var bytes = ByteBuffer(capacity: 1024)
  private var changes = UnsafeMutablePointer<Change>.allocate(capacity: 16)
  private var capacity = 16
  private(set) var count = 0
  private var places: [UInt32] = []
  private let isFindable: Bool

  init(isFindable: Bool) { self.isFindable = isFindable }

  deinit { changes.deallocate() }

  var isEmpty: Bool { count == 0 }
  var isFull: Bool { bytes.count >= Self.most }

  // MARK: Adding

  mutating func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    append(key, value, valueLength: UInt16(truncatingIfNeeded: value.count))
  }

  mutating func remove(_ key: UnsafeRawBufferPointer) {
    append(key, UnsafeRawBufferPointer(start: nil, count: 0), valueLength: Self.removal)
  }

  private mutating func append(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, valueLength: UInt16
  ) {
    let size = valueLength == Self.removal ? 0 : value.count
    let offset = bytes.count
    // Eight bytes more, so that the head can be loaded from any key.
    let memory = bytes.take(key.count &+ size &+ 8)
    bytes.drop(8)
    memory.copyShort(from: key.baseAddress ?? UnsafeRawPointer(memory), byteCount: key.count)
    if size > 0, let start = value.baseAddress { (memory + key.count).copyShort(from: start, byteCount: size) }
    if count == capacity { grow() }
    (changes + count).initialize(
      to: Change(
        head: Self.head(UnsafeRawPointer(memory), key.count), offset: UInt32(truncatingIfNeeded: offset),
        keyLength: UInt16(truncatingIfNeeded: key.count), valueLength: valueLength))
    count &+= 1
    if isFindable { note(count &- 1, key) }
  }

  private mutating func grow() {
    let larger = UnsafeMutablePointer<Change>.allocate(capacity: capacity * 4)
    larger.moveInitialize(from: changes, count: count)
    changes.deallocate()
    changes = larger
    capacity *= 4
  }

  /// The first eight bytes of `count` bytes, padded with zeros. All eight must be readable.
  @inline(__always)
  static func head(_ bytes: UnsafeRawPointer, _ count: Int) -> UInt64 {
    let word = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
    return count >= 8 ? word : word & ~(UInt64.max &>> UInt64(truncatingIfNeeded: 8 &* count))
  }

  // MARK: Finding

  enum Found {
    case nothing
    case removed
    /// Valid until the next change.
    case value(UnsafeRawBufferPointer)
  }

  /// The newest change of the key.
  borrowing func find(_ key: UnsafeRawBufferPointer) -> Found {
    if places.isEmpty || count == 0 { return .nothing }
    var at = Int(truncatingIfNeeded: Self.hash(key)) & (places.count - 1)
    while places[at] != 0 {
      let change = changes[Int(places[at]) - 1]
      if isSame(change, key) {
        if change.valueLength == Self.removal { return .removed }
        return .value(value(change))
      }
      at = (at + 1) & (places.count - 1)
    }
    return .nothing
  }

  /// Hashes all bytes of the key. Keys come from rows, so a user who fills a store could make keys
  /// collide if only some bytes counted.
  private static func hash(_ key: UnsafeRawBufferPointer) -> UInt64 {
    guard let start = key.baseAddress else { return 0 }
    var hash = UInt64(truncatingIfNeeded: key.count) ^ 0x9E37_79B9_7F4A_7C15
    var offset = 0
    @inline(__always) func mix(_ word: UInt64) {
      let product = (hash ^ word).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
      hash = product.high ^ product.low &+ word
    }
    while offset &+ 8 <= key.count {
      mix(start.u64(offset))
      offset &+= 8
    }
    if offset < key.count {
      var rest: UInt64 = 0
      while offset < key.count {
        rest = rest &<< 8 | UInt64(start.u8(offset))
        offset &+= 1
      }
      mix(rest)
    }
    return hash ^ hash &>> 32
  }

  private borrowing func isSame(_ change: Change, _ key: UnsafeRawBufferPointer) -> Bool {
    Int(change.keyLength) == key.count && ByteKey(self.key(change)).compare(ByteKey(key)) == 0
  }

  private mutating func note(_ index: Int, _ key: UnsafeRawBufferPointer) {
    if places.count < 2 * count { growPlaces() } else { insert(index, key) }
  }

  private mutating func insert(_ index: Int, _ key: UnsafeRawBufferPointer) {
    var at = Int(truncatingIfNeeded: Self.hash(key)) & (places.count - 1)
    while places[at] != 0, !isSame(changes[Int(places[at]) - 1], key) { at = (at + 1) & (places.count - 1) }
    places[at] = UInt32(index + 1)
  }

  private mutating func growPlaces() {
    places = [UInt32](repeating: 0, count: max(64, places.count * 4))
    for index in 0..<count { insert(index, key(changes[index])) }
  }

  // MARK: Applying

  private borrowing func key(_ change: Change) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: bytes.memory + Int(change.offset), count: Int(change.keyLength))
  }

  private borrowing func value(_ change: Change) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: bytes.memory + (Int(change.offset) + Int(change.keyLength)), count: Int(change.valueLength))
  }

  /// Sorts the changes by key. Changes of one key keep their order.
  mutating func sort() {
    Self.arrange(UnsafeMutableBufferPointer(start: changes, count: count), UnsafeRawPointer(bytes.memory))
  }

  /// The change at an index: its key, and its value, or nil if the key is removed. Valid until the
  /// next change.
  borrowing func change(_ index: Int) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer?) {
    let change = changes[index]
    return (key(change), change.valueLength == Self.removal ? nil : value(change))
  }

  mutating func clear() {
    count = 0
    bytes.clear()
    // Clearing a large table costs more than making a small one.
    places.removeAll(keepingCapacity: false)
  }
}
