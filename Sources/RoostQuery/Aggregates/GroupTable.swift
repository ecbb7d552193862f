internal import RoostBytes
internal import RoostRecords

/// Gives each group a number, found by the bytes of its keys.
struct GroupTable: ~Copyable {
  private struct Group {
    var hash: Int
    /// Where the key begins in `bytes`.
    var start: Int
    var byteCount: Int
  }

  private(set) var count = 0
  private var bytes = ByteBuffer()
  private var groups: UnsafeMutablePointer<Group>
  /// The number of a group plus one, or 0. There are twice as many slots as room for groups.
  private var slots: UnsafeMutablePointer<Int32>
  private var room = 32
  /// Differs in each process, so that an attacker cannot prepare keys that share a slot.
  private let seed = Self.commonSeed

  private static let commonSeed = UInt64(truncatingIfNeeded: Hasher().finalize())

  init() {
    groups = .allocate(capacity: room)
    slots = .allocate(capacity: 2 * room)
    slots.initialize(repeating: 0, count: 2 * room)
  }

  deinit {
    groups.deallocate()
    slots.deallocate()
  }

  /// Hashes eight bytes at a time, each mixed in by a multiplication. The last word overlaps the
  /// one before.
  @inline(__always)
  func hash(_ key: UnsafeRawBufferPointer) -> Int {
    var hash = seed ^ UInt64(truncatingIfNeeded: key.count)
    guard let start = key.baseAddress else { return Self.mixed(hash) }
    if key.count < 8 {
      for byte in key { hash = hash &<< 8 ^ UInt64(byte) ^ hash &>> 56 }
      return Self.mixed(hash)
    }
    var place = 0
    while place &+ 8 < key.count {
      hash = UInt64(bitPattern: Int64(Self.mixed(hash ^ start.u64(place))))
      place &+= 8
    }
    return Self.mixed(hash ^ start.u64(key.count &- 8))
  }

  @inline(__always)
  private static func mixed(_ word: UInt64) -> Int {
    let product = word.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return Int(truncatingIfNeeded: product.high ^ product.low)
  }

  @inline(__always)
  private func key(_ group: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: bytes.memory + groups[group].start, count: groups[group].byteCount)
  }

  /// The group of a key; nil if there is none yet.
  @inline(__always)
  func number(of key: UnsafeRawBufferPointer, _ hash: Int) -> Int? {
    let mask = 2 &* room &- 1
    var slot = hash & mask
    while slots[slot] != 0 {
      let group = Int(slots[slot]) &- 1
      if groups[group].hash == hash, TextBytes.isSame(self.key(group), key) { return group }
      slot = (slot &+ 1) & mask
    }
    return nil
  }

  /// Adds a group whose key is absent.
  mutating func add(_ key: UnsafeRawBufferPointer, _ hash: Int) {
    if count == room { grow() }
    (groups + count).initialize(to: Group(hash: hash, start: bytes.count, byteCount: key.count))
    bytes.append(contentsOf: key)
    place(count)
    count += 1
  }

  private mutating func grow() {
    let larger = UnsafeMutablePointer<Group>.allocate(capacity: 2 * room)
    larger.moveInitialize(from: groups, count: count)
    groups.deallocate()
    slots.deallocate()
    groups = larger
    room *= 2
    slots = .allocate(capacity: 2 * room)
    slots.initialize(repeating: 0, count: 2 * room)
    for group in 0..<count { place(group) }
  }

  private func place(_ group: Int) {
    let mask = 2 * room - 1
    var slot = groups[group].hash & mask
    while slots[slot] != 0 { slot = (slot + 1) & mask }
    slots[slot] = Int32(truncatingIfNeeded: group + 1)
  }

  /// The numbers of all groups in the order of their keys.
  func sorted() -> [Int] {
    var numbers = Array(0..<count)
    numbers.sort { TextBytes.bytesAreLess(key($0), key($1)) }
    return numbers
  }
}
