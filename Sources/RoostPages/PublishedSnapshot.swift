import Synchronization

/// The snapshot that a new reader gets, in raw memory, so that pinning retains nothing.
///
/// A reader stores the stamp in its slot, reads the published snapshot again, and repeats if it
/// changed. So a thread that publishes first and then reads the slots sees every reader of an older
/// snapshot.
///
/// ## Layout
/// A ring of cells. A cell's stamp is 0 while it is written, and no stamp is ever used again. So a
/// reader that finds the same stamp before and after has read a whole cell.
package final class PublishedSnapshot: @unchecked Sendable {
  // Unchecked because cells are published through an atomic, and one thread at a time publishes.
  private struct Cell: ~Copyable {
    let stamp = Atomic<UInt64>(0)
    let transaction = Atomic<UInt64>(0)
    let place = Atomic<UInt64>(0)  // place, and the level above it
    let check = Atomic<UInt64>(0)
    let count = Atomic<UInt64>(0)
    init() {}
  }

  private static let cellCount = 64
  private let cells: UnsafeMutablePointer<Cell>
  private let current = Atomic<Int>(0)

  package init(_ snapshot: Snapshot) {
    cells = .allocate(capacity: Self.cellCount)
    for index in 0..<Self.cellCount { (cells + index).initialize(to: Cell()) }
    write(snapshot, to: 0)
  }

  deinit {
    cells.deinitialize(count: Self.cellCount)
    cells.deallocate()
  }

  /// Publishes a snapshot. One thread at a time may call this.
  func set(_ snapshot: Snapshot) {
    let next = (current.load(ordering: .relaxed) + 1) % Self.cellCount
    write(snapshot, to: next)
    current.store(next, ordering: .sequentiallyConsistent)
  }

  private func write(_ snapshot: Snapshot, to index: Int) {
    let cell = cells + index
    let root = snapshot.catalog
    cell.pointee.stamp.store(0, ordering: .sequentiallyConsistent)
    cell.pointee.transaction.store(snapshot.transaction, ordering: .sequentiallyConsistent)
    cell.pointee.place.store(
      UInt64(root.reference.page.place) | UInt64(root.level) << 32, ordering: .sequentiallyConsistent)
    cell.pointee.check.store(root.reference.check, ordering: .sequentiallyConsistent)
    cell.pointee.count.store(root.count, ordering: .sequentiallyConsistent)
    cell.pointee.stamp.store(snapshot.stamp, ordering: .sequentiallyConsistent)
  }

  /// The newest snapshot, read whole.
  package var snapshot: Snapshot {
    while true {
      let index = current.load(ordering: .sequentiallyConsistent)
      if let found = read(index) { return found }
    }
  }

  /// Pins the newest snapshot in a slot.
  package func pin(_ slot: ReaderSlot, _ schedule: Schedule? = nil) -> Snapshot {
    while true {
      let index = current.load(ordering: .sequentiallyConsistent)
      guard let found = read(index) else { continue }
      schedule?(.readingPublished)
      slot.pin(found)
      schedule?(.pinned)
      if current.load(ordering: .sequentiallyConsistent) == index,
        cells[index].stamp.load(ordering: .sequentiallyConsistent) == found.stamp
      {
        return found
      }
    }
  }

  /// A cell's content, or nil if it was changed meanwhile.
  private func read(_ index: Int) -> Snapshot? {
    let cell = cells + index
    let stamp = cell.pointee.stamp.load(ordering: .sequentiallyConsistent)
    let transaction = cell.pointee.transaction.load(ordering: .sequentiallyConsistent)
    let place = cell.pointee.place.load(ordering: .sequentiallyConsistent)
    let check = cell.pointee.check.load(ordering: .sequentiallyConsistent)
    let count = cell.pointee.count.load(ordering: .sequentiallyConsistent)
    guard stamp != 0, cell.pointee.stamp.load(ordering: .sequentiallyConsistent) == stamp else { return nil }
    let page = PageID(UInt32(truncatingIfNeeded: place))
    return Snapshot(
      stamp: stamp, transaction: transaction,
      catalog: Root(
        reference: PageReference(page, check: check), level: UInt8(truncatingIfNeeded: place >> 32), count: count))
  }
}
