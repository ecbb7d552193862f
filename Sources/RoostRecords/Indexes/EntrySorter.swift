internal import RoostBytes
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// Sorts the entries of an index that is being filled, in portions that fit into memory.
///
/// The first portion of an empty index builds its tree from sorted leaves. Other portions are
/// inserted in key order, so that neighbouring keys find their leaf in the CPU cache.
struct EntrySorter: ~Copyable {
  /// The most bytes of a portion.
  static let portion = 16 << 20

  private let index: IndexWriter
  private let transaction: WriteTransaction
  private var heap = ByteBuffer(capacity: 4096)
  private var places: [Place] = []

  private struct Place {
    /// The eight bytes after the common prefix of all keys. Nearly all keys differ in them.
    var head: UInt64 = 0
    var start: Int
    var keyBytes: Int
    var valueBytes: Int
  }

  init(_ index: IndexWriter, _ transaction: WriteTransaction) {
    self.index = index
    self.transaction = transaction
  }

  /// Adds the entries of the row that the index has prepared. Returns two rows with the same key if
  /// the index forbids that.
  mutating func append(_ id: RowID) throws(StoreError) -> (RowID, RowID)? {
    for number in 0..<index.entryCount {
      guard let (key, value) = index.makeEntry(id, number: number) else { return nil }
      places.append(Place(start: heap.count, keyBytes: key.count, valueBytes: value.count))
      heap.append(contentsOf: key)
      heap.append(contentsOf: value)
    }
    return heap.count >= Self.portion ? try finish() : nil
  }

  /// Puts the remaining entries into the index. If it returns two rows with the same key, the
  /// caller must undo the entries put in before.
  mutating func finish() throws(StoreError) -> (RowID, RowID)? {
    let memory = UnsafeRawPointer(heap.memory)
    setHeads()
    places.sort { one, other in
      if one.head != other.head { return one.head < other.head }
      let order = ByteKey(memory + one.start, one.keyBytes).compare(ByteKey(memory + other.start, other.keyBytes))
      return order == 0 ? one.start < other.start : order < 0
    }
    try index.settle()
    let isFresh = index.draft.root.isEmpty
    let builder = ByteTreeBuilder(id: index.draft.tree.id, fill: 90, in: transaction)
    for (number, place) in places.enumerated() {
      let key = ByteKey(memory + place.start, place.keyBytes)
      let value = UnsafeRawBufferPointer(start: memory + place.start + place.keyBytes, count: place.valueBytes)
      if let other = try twin(number, key, inTree: !isFresh) { return (other, row(place)) }
      if isFresh { try builder.append(key, value) } else { try index.draft.put(key, value) }
      try transaction.relieve()
    }
    if isFresh, !places.isEmpty {
      let (root, extents) = try builder.finish()
      guard index.draft.adopt(root, extents: extents) else { throw IndexWriter.damaged(index.index) }
    }
    places.removeAll(keepingCapacity: true)
    heap.clear()
    return nil
  }

  private mutating func setHeads() {
    guard let first = places.first else { return }
    let memory = UnsafeRawPointer(heap.memory)
    var common = first.keyBytes
    for place in places {
      var length = 0
      common = min(common, place.keyBytes)
      while length < common, memory.u8(first.start + length) == memory.u8(place.start + length) { length += 1 }
      common = length
    }
    for index in places.indices {
      var head: UInt64 = 0
      for offset in common..<common + 8 {
        let byte = offset < places[index].keyBytes ? memory.u8(places[index].start + offset) : 0
        head = head << 8 | UInt64(byte)
      }
      places[index].head = head
    }
  }

  /// The earlier row with the same key, in this portion or in the tree.
  private func twin(_ number: Int, _ key: ByteKey, inTree: Bool) throws(StoreError) -> RowID? {
    if !index.index.isUnique { return nil }
    if number > 0 {
      let before = places[number - 1]
      if ByteKey(UnsafeRawPointer(heap.memory) + before.start, before.keyBytes).compare(key) == 0 { return row(before) }
    }
    guard inTree else { return nil }
    let found = try index.draft.tree.withValue(of: key) { IndexEntry.row(key.bytes, $0)?.row }
    guard let found else { return nil }
    guard let row = found else { throw IndexWriter.damaged(index.index) }
    return row
  }

  private func row(_ place: Place) -> RowID {
    let key = UnsafeRawBufferPointer(start: heap.memory + place.start, count: place.keyBytes)
    let value = UnsafeRawBufferPointer(start: heap.memory + place.start + place.keyBytes, count: place.valueBytes)
    // This function's own code made the entry.
    return IndexEntry.row(key, value)!.row
  }
}
