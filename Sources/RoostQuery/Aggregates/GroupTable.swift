/// Numbers groups by the bytes of their keys.
struct GroupTable {
  private var bytes: [UInt8] = []
  private var ends: [Int] = []
  private var hashes: [Int] = []
  /// The number of a group and one, or 0; twice as many as there are groups, at least.
  private var slots = [Int32](repeating: 0, count: 64)
  /// Neighbours are often of one group.
  private var last = 0

  var count: Int { ends.count }

  private func holds(_ group: Int, _ key: UnsafeRawBufferPointer) -> Bool {
    let start = group == 0 ? 0 : ends[group - 1]
    guard ends[group] - start == key.count else { return false }
    return bytes.withUnsafeBytes { TextBytes.isSame(UnsafeRawBufferPointer(rebasing: $0[start..<ends[group]]), key) }
  }

  /// The group of a key, and whether it is a new one.
  mutating func group(of key: UnsafeRawBufferPointer) -> (number: Int, isNew: Bool) {
    if last < count, holds(last, key) { return (last, false) }
    var hasher = Hasher()
    hasher.combine(bytes: key)
    let hash = hasher.finalize()
    var slot = hash & (slots.count - 1)
    while slots[slot] != 0 {
      let group = Int(slots[slot]) - 1
      if hashes[group] == hash, holds(group, key) {
        last = group
        return (group, false)
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    bytes.append(contentsOf: key)
    ends.append(bytes.count)
    hashes.append(hash)
    slots[slot] = Int32(truncatingIfNeeded: count)
    last = count - 1
    if count * 2 > slots.count { grow() }
    return (last, true)
  }

  private mutating func grow() {
    slots = [Int32](repeating: 0, count: slots.count * 2)
    for (group, hash) in hashes.enumerated() {
      var slot = hash & (slots.count - 1)
      while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = Int32(truncatingIfNeeded: group + 1)
    }
  }

  /// The numbers of all groups in the order of their keys.
  func sorted() -> [Int] {
    bytes.withUnsafeBytes { bytes in
      func key(_ group: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[(group == 0 ? 0 : ends[group - 1])..<ends[group]])
      }
      return (0..<count).sorted { TextBytes.bytesAreLess(key($0), key($1)) }
    }
  }
}
