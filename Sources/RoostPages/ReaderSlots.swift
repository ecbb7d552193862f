package import RoostFile
public import Synchronization

/// One cache line in which a read transaction announces what it uses.
///
/// ## Layout
/// `pin`: the stamp of the snapshot that must stay, 0 for none. `activity`: odd while a look-up is
/// running. `depth`: the number of nested look-ups of the owner. `taken`: 1 while a transaction
/// owns the slot. `held`: places whose frames must stay, 0 for none.
@usableFromInline package struct ReaderRecord: ~Copyable {
  @usableFromInline package let pin = Atomic<UInt64>(0)
  @usableFromInline package let activity = Atomic<UInt64>(0)
  @usableFromInline package let taken = Atomic<UInt32>(0)
  package let held0 = Atomic<UInt32>(0)
  package let held1 = Atomic<UInt32>(0)
  package let held2 = Atomic<UInt32>(0)
  package let held3 = Atomic<UInt32>(0)
  package let held4 = Atomic<UInt32>(0)
  package let held5 = Atomic<UInt32>(0)
  package let held6 = Atomic<UInt32>(0)
  package let held7 = Atomic<UInt32>(0)
  @usableFromInline package let next = Atomic<UInt32>(0)
  @usableFromInline package let depth = Atomic<UInt32>(0)
  /// The low half of the pinned commit's number, for statistics.
  package let commit = Atomic<UInt32>(0)
  package init() {}

  static let heldCount = 8
  static let heldOffset = 20
}

/// The number of one of a transaction's holds.
@usableFromInline package struct HoldIndex: @unchecked Sendable {
  // Unchecked because the cell is atomic.
  @usableFromInline package let cell: UnsafeMutablePointer<Atomic<UInt32>>

  @inlinable init(cell: UnsafeMutablePointer<Atomic<UInt32>>) { self.cell = cell }
}

/// A transaction's slot in ``ReaderSlots``.
///
/// Between ``enter()`` and ``leave()`` no frame that the reader got can be evicted. The calls can
/// be nested.
@usableFromInline package struct ReaderSlot: @unchecked Sendable {
  // Unchecked because all state that the pointer references is atomic.
  @usableFromInline package let record: UnsafeMutablePointer<ReaderRecord>
  @usableFromInline let slots: Unmanaged<ReaderSlots>

  /// Announces the snapshot that must stay.
  @inline(__always)
  func pin(_ snapshot: Snapshot) {
    record.pointee.commit.store(UInt32(truncatingIfNeeded: snapshot.transaction), ordering: .relaxed)
    record.pointee.pin.store(snapshot.stamp, ordering: .sequentiallyConsistent)
  }

  @inlinable @inline(__always)
  package func enter() {
    let depth = record.pointee.depth.load(ordering: .relaxed)
    record.pointee.depth.store(depth &+ 1, ordering: .relaxed)
    if depth > 0 { return }
    let now = record.pointee.activity.load(ordering: .relaxed)
    record.pointee.activity.store(now &+ 1, ordering: .sequentiallyConsistent)
  }

  @inlinable @inline(__always)
  package func leave() {
    let depth = record.pointee.depth.load(ordering: .relaxed) &- 1
    record.pointee.depth.store(depth, ordering: .relaxed)
    if depth > 0 { return }
    let now = record.pointee.activity.load(ordering: .relaxed)
    record.pointee.activity.store(now &+ 1, ordering: .releasing)
  }

  /// Keeps one frame from eviction until ``drop(_:)``. Call it between `enter` and `leave`.
  package func hold(_ page: PageID) throws(StoreError) -> HoldIndex {
    guard let hold = slots._withUnsafeGuaranteedRef({ $0.hold(page, for: record) }) else {
      throw ReaderSlots.full
    }
    return hold
  }

  /// Holds another page instead.
  @inlinable @inline(__always)
  package func move(_ hold: HoldIndex, to page: PageID) {
    hold.cell.pointee.store(page.place == 0 ? .max : page.place, ordering: .sequentiallyConsistent)
  }

  @inlinable
  package func drop(_ hold: HoldIndex) { hold.cell.pointee.store(0, ordering: .releasing) }
}

/// The slots of all readers, in raw memory, so that a look-up retains nothing.
///
/// ## Invariants
/// A slot is owned by one transaction at a time. A pin is stored before the published snapshot is
/// read again.
@usableFromInline package final class ReaderSlots: @unchecked Sendable {
  // Unchecked because the records are atomic and the pointer never changes.
  package static let most = 4096
  private let records: UnsafeMutablePointer<ReaderRecord>
  /// Slots from this one on were never taken.
  private let used = Atomic<Int>(0)

  package init() {
    records = UnsafeMutableRawPointer.allocate(byteCount: Self.most * 64, alignment: 64)
      .bindMemory(to: ReaderRecord.self, capacity: Self.most)
    precondition(MemoryLayout<ReaderRecord>.stride == 64)
    // Records are initialized at their first use: `used` says how many exist.
  }

  deinit { records.deallocate() }

  /// Takes a free slot.
  package func take() throws(StoreError) -> ReaderSlot {
    let known = used.load(ordering: .acquiring)
    for index in 0..<known {
      let record = records + index
      if record.pointee.taken.load(ordering: .relaxed) == 0,
        record.pointee.taken.compareExchange(expected: 0, desired: 1, ordering: .acquiring).exchanged
      {
        return ReaderSlot(record: record, slots: .passUnretained(self))
      }
    }
    return try grow()
  }

  private let growing = Lock()

  static var full: StoreError { StoreError(.busy, "\(most) readers are open at once") }

  private func grow() throws(StoreError) -> ReaderSlot {
    try growing.withLock { () throws(StoreError) in
      let index = used.load(ordering: .relaxed)
      guard index < Self.most else {
        throw Self.full
      }
      let record = records + index
      record.initialize(to: ReaderRecord())
      record.pointee.taken.store(1, ordering: .relaxed)
      used.store(index + 1, ordering: .sequentiallyConsistent)
      return ReaderSlot(record: record, slots: .passUnretained(self))
    }
  }

  /// Releases a slot, with its pin, its holds and the slots chained to it.
  package func give(_ slot: ReaderSlot) {
    var record = slot.record
    while true {
      let next = record.pointee.next.load(ordering: .relaxed)
      for hold in 0..<ReaderRecord.heldCount { cell(record, hold).pointee.store(0, ordering: .releasing) }
      record.pointee.next.store(0, ordering: .relaxed)
      record.pointee.depth.store(0, ordering: .relaxed)
      if record.pointee.activity.load(ordering: .relaxed) & 1 == 1 {
        record.pointee.activity.add(1, ordering: .releasing)
      }
      record.pointee.pin.store(0, ordering: .releasing)
      record.pointee.taken.store(0, ordering: .releasing)
      if next == 0 { return }
      record = records + Int(next - 1)
    }
  }

  private func cell(
    _ record: UnsafeMutablePointer<ReaderRecord>, _ index: Int
  ) -> UnsafeMutablePointer<Atomic<UInt32>> {
    (UnsafeMutableRawPointer(record) + ReaderRecord.heldOffset + index * 4)
      .assumingMemoryBound(to: Atomic<UInt32>.self)
  }

  func hold(
    _ page: PageID, for owner: UnsafeMutablePointer<ReaderRecord>
  ) -> HoldIndex? {
    let place = page.place == 0 ? UInt32.max : page.place
    var record = owner
    while true {
      for index in 0..<ReaderRecord.heldCount {
        let cell = cell(record, index)
        if cell.pointee.load(ordering: .relaxed) == 0 {
          cell.pointee.store(place, ordering: .sequentiallyConsistent)
          return HoldIndex(cell: cell)
        }
      }
      let next = record.pointee.next.load(ordering: .relaxed)
      if next != 0 {
        record = records + Int(next - 1)
        continue
      }
      // If there are more cursors than one cache line has room for, another slot is chained.
      guard let more = try? take() else { return nil }
      record.pointee.next.store(UInt32(more.record - records) + 1, ordering: .relaxed)
      record = more.record
    }
  }

  // MARK: Read by the writer and the evictor

  /// The stamps of all snapshots that readers use, ascending and without repeats.
  package func pins() -> [UInt64] {
    var found: [UInt64] = []
    for index in 0..<used.load(ordering: .sequentiallyConsistent) {
      let pin = (records + index).pointee.pin.load(ordering: .sequentiallyConsistent)
      if pin != 0 && !found.contains(pin) { found.append(pin) }
    }
    return found.sorted()
  }

  /// The oldest pinned stamp, and the low half of its commit's number.
  package func oldestPin() -> (stamp: UInt64, commit: UInt32)? {
    var oldest: (stamp: UInt64, commit: UInt32)?
    for index in 0..<used.load(ordering: .sequentiallyConsistent) {
      let record = records + index
      let pin = record.pointee.pin.load(ordering: .sequentiallyConsistent)
      let commit = record.pointee.commit.load(ordering: .sequentiallyConsistent)
      // If the slot gets another owner meanwhile, it holds a newer snapshot.
      guard pin != 0, record.pointee.pin.load(ordering: .sequentiallyConsistent) == pin else { continue }
      if let oldest, oldest.stamp <= pin { continue }
      oldest = (pin, commit)
    }
    return oldest
  }

  /// The number of taken slots.
  package var takenCount: Int {
    (0..<used.load(ordering: .acquiring)).count { (records + $0).pointee.taken.load(ordering: .relaxed) == 1 }
  }

  /// The activity of every slot, for a later comparison: see ``haveMoved(since:)``.
  func activities() -> [UInt64] {
    let count = used.load(ordering: .sequentiallyConsistent)
    return (0..<count).map { (records + $0).pointee.activity.load(ordering: .sequentiallyConsistent) }
  }

  /// Whether every look-up that was running then has ended.
  func haveMoved(since then: [UInt64]) -> Bool {
    for index in then.indices where then[index] & 1 == 1 {
      if (records + index).pointee.activity.load(ordering: .acquiring) == then[index] { return false }
    }
    return true
  }

  func heldPlaces() -> Set<UInt32> {
    var places = Set<UInt32>()
    for index in 0..<used.load(ordering: .sequentiallyConsistent) {
      for hold in 0..<ReaderRecord.heldCount {
        let place = cell(records + index, hold).pointee.load(ordering: .sequentiallyConsistent)
        if place != 0 { places.insert(place) }
      }
    }
    return places
  }
}
