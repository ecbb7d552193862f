internal import RoostBytes
internal import RoostTrees

/// Changes of an index that were not carried out yet, one behind the other.
///
/// The keys of a transaction's rows come in any order, and every one of them costs a way down its tree. Carried out in the
/// order of the keys, neighbours share that way, and a run of keys fills its leaves instead of splitting them.
///
/// ## Invariants
/// 1. `changes[i]`, for i below `count`, has its key and then its value at `offset` in `bytes`.
/// 2. With `isFindable`, `places` leads from a key's hash to the newest change of that key, plus one; 0 is free. It is at most
///    half full.
struct PendingEntries: ~Copyable {
  struct Change {
    /// The key's first eight bytes as a number, filled with zeros, so that most comparisons need no more.
    var head: UInt64
    var offset: UInt32
    var keyLength: UInt16
    /// Of the value; ``removal`` where the key is taken out.
    var valueLength: UInt16
  }

  static let removal = UInt16.max
  /// As many bytes wait at the most.
  static let most = 4 << 20

  private var bytes = ByteBuffer(capacity: 64)
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
    append(key, value, UInt16(truncatingIfNeeded: value.count))
  }

  mutating func remove(_ key: UnsafeRawBufferPointer) {
    append(key, UnsafeRawBufferPointer(start: nil, count: 0), Self.removal)
  }

  private mutating func append(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ valueLength: UInt16
  ) {
    let size = valueLength == Self.removal ? 0 : value.count
    let offset = bytes.count
    let memory = bytes.take(key.count &+ size)
    memory.copyShort(from: key.baseAddress ?? UnsafeRawPointer(memory), byteCount: key.count)
    if size > 0, let start = value.baseAddress { (memory + key.count).copyShort(from: start, byteCount: size) }
    if count == capacity { grow() }
    (changes + count).initialize(
      to: Change(
        head: Self.head(key), offset: UInt32(truncatingIfNeeded: offset),
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

  @inline(__always)
  private static func head(_ key: UnsafeRawBufferPointer) -> UInt64 {
    if key.count >= 8 { return UInt64(bigEndian: key.loadUnaligned(as: UInt64.self)) }
    var head: UInt64 = 0
    for (place, byte) in key.enumerated() { head |= UInt64(byte) << UInt64(56 - 8 * place) }
    return head
  }

  // MARK: Finding

  enum Found {
    case nothing
    case removed
    /// Borrowed until the next change.
    case value(UnsafeRawBufferPointer)
  }

  /// What the newest change says of the key.
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

  private static func hash(_ key: UnsafeRawBufferPointer) -> UInt64 { Checksum.of(key) }

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
    places = [UInt32](repeating: 0, count: max(64, places.count * 2))
    for index in 0..<count { insert(index, key(changes[index])) }
  }

  // MARK: Carrying out

  private borrowing func key(_ change: Change) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: bytes.memory + Int(change.offset), count: Int(change.keyLength))
  }

  private borrowing func value(_ change: Change) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: bytes.memory + (Int(change.offset) + Int(change.keyLength)), count: Int(change.valueLength))
  }

  /// Brings the changes into the order of their keys; those of one key stay in the order in which they came.
  mutating func sort() {
    if count > Self.few { distribute() }
    if !insertionSort() {
      let start = UnsafeRawPointer(bytes.memory)
      var all = UnsafeMutableBufferPointer(start: changes, count: count)
      all.sort { Self.isBefore($0, $1, start) }
    }
  }

  private static let few = 40

  @inline(__always)
  private static func isBefore(_ one: Change, _ other: Change, _ start: UnsafeRawPointer) -> Bool {
    if one.head != other.head { return one.head < other.head }
    let order = ByteKey(start + Int(one.offset), Int(one.keyLength)).compare(
      ByteKey(start + Int(other.offset), Int(other.keyLength)))
    return order == 0 ? one.offset < other.offset : order < 0
  }

  /// Sorts what is nearly sorted; false, and nothing lost, where that turns out to be wrong.
  private mutating func insertionSort() -> Bool {
    let start = UnsafeRawPointer(bytes.memory)
    var moves = 0
    let most = 16 * count + 2000
    var index = 1
    while index < count {
      let change = changes[index]
      var at = index
      while at > 0, Self.isBefore(change, changes[at &- 1], start) {
        changes[at] = changes[at &- 1]
        at &-= 1
      }
      changes[at] = change
      moves &+= index &- at
      if moves > most { return false }
      index &+= 1
    }
    return true
  }

  /// Sorts by the first 16 bits in which the heads differ, in two steps that keep the order of what is equal.
  private mutating func distribute() {
    var differing: UInt64 = 0
    for index in 0..<count { differing |= changes[index].head ^ changes[0].head }
    let shift = UInt64(truncatingIfNeeded: min(differing.leadingZeroBitCount, 48))
    let (changes, count) = (self.changes, self.count)
    let other = UnsafeMutablePointer<Change>.allocate(capacity: count)
    defer { other.deallocate() }
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 512) { starts in
      starts.initialize(repeating: 0)
      @inline(__always) func low(_ change: Change) -> Int {
        Int(truncatingIfNeeded: (change.head &<< shift) &>> 48 & 255)
      }
      @inline(__always) func high(_ change: Change) -> Int {
        Int(truncatingIfNeeded: (change.head &<< shift) &>> 56)
      }
      for index in 0..<count {
        starts[low(changes[index])] &+= 1
        starts[256 &+ high(changes[index])] &+= 1
      }
      for half in [0, 256] {
        var sum: UInt32 = 0
        for digit in half..<half + 256 { (starts[digit], sum) = (sum, sum &+ starts[digit]) }
      }
      for index in 0..<count {
        let digit = low(changes[index])
        (other + Int(starts[digit])).initialize(to: changes[index])
        starts[digit] &+= 1
      }
      for index in 0..<count {
        let digit = 256 &+ high(other[index])
        changes[Int(starts[digit])] = other[index]
        starts[digit] &+= 1
      }
    }
  }

  /// The change at a place: its key, and its value or nil where the key is taken out. Borrowed until the next change.
  borrowing func change(_ index: Int) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer?) {
    let change = changes[index]
    return (key(change), change.valueLength == Self.removal ? nil : value(change))
  }

  mutating func clear() {
    count = 0
    bytes.clear()
    // Filling a large table again costs more than making a small one.
    places.removeAll(keepingCapacity: false)
  }
}
