import RoostBytes
package import RoostFile
import Synchronization

/// Pages that are written to their places before the record that names them.
///
/// A tree that is built from sorted input would otherwise be logged entry by entry, and the
/// checkpoint would write its pages again. Written through, it is written once: the record names
/// its places, and recovery reserves them before it replays. While the log names a place, the place
/// is not reused. A page's stamp tells whether the log names its place.
extension WriteTransaction {
  /// The state between `beginThrough` and `endThrough`. Pages made there are complete when they are
  /// written.
  package struct Through {
    let savepoint: Savepoint
    let firstBirth: Int
    /// Nil if pages cannot be written through. Then they are drafts like others.
    let buffer: ThroughBuffer?
  }

  package func beginThrough() throws(StoreError) -> Through {
    var buffer: ThroughBuffer?
    if canName, let file = store.file {
      buffer = try ThroughBuffer(file, frames, settleChecks: store.floor.settleChecks, lookedAt: births.count)
      expectDataSync()
    }
    through = buffer
    do throws(StoreError) {
      return Through(savepoint: try savepoint(), firstBirth: births.count, buffer: buffer)
    } catch {
      through = nil
      throw error
    }
  }

  /// A new page that must be complete before the next one is made. Its memory is not cleared, and
  /// is invalid after that.
  package func allocateThrough() throws(StoreError) -> (page: PageID, memory: UnsafeMutableRawPointer) {
    guard let through else { return try allocate() }
    let place = try claimWithoutFrame()
    return (PageID(place), try through.begin(place))
  }

  /// The number of new births after which the search for large values is repeated.
  private static var batch: Int { 2048 }

  /// Call it between operations, when no pointer into a page is held.
  package func continueThrough() throws(StoreError) {
    guard let through else { return try relieve() }
    if births.count - through.lookedAt >= Self.batch { try writeExtents(through) }
  }

  /// Writes large values, which have frames like other drafts.
  private func writeExtents(_ through: ThroughBuffer) throws(StoreError) {
    let places = births[through.lookedAt...].filter { frames.state(PageID($0)) & FrameState.draft != 0 }.sorted()
    through.lookedAt = births.count
    if places.isEmpty { return }
    try PageWriter(file: through.file, frames: frames, settleChecks: store.floor.settleChecks).write(places)
    for place in places { store.frames.settle(PageID(place)) }
    store.frames.trim()
  }

  /// Writes the rest and names all places in the record. Returns the root with its checksum.
  package func endThrough(_ through: Through, _ root: Root) throws(StoreError) -> Root {
    var root = root
    if let buffer = through.buffer, births.count > through.firstBirth {
      try writeExtents(buffer)
      try buffer.flush()
      try name(births[through.firstBirth...].sorted(), from: through.savepoint.stamp)
      let page = root.reference.page
      if page != .none { root.reference = PageReference(page, check: frames.check(page)) }
    }
    self.through = nil
    beginStep()
    release(through.savepoint)
    return root
  }

  /// Rolls back everything since `beginThrough`.
  package func abandonThrough(_ through: Through) {
    self.through = nil
    rollback(to: through.savepoint)
  }

  /// Adds the places to the record: u64 first and u64 last step that made them, then runs of {u32
  /// place, u32 count}.
  private func name(_ places: [UInt32], from before: UInt64) throws(StoreError) {
    var runs: [(place: UInt32, count: UInt32)] = []
    for place in places {
      if let last = runs.last, last.place + last.count == place {
        runs[runs.count - 1].count += 1
      } else if runs.last.map({ $0.place + $0.count - 1 != place }) ?? true {
        runs.append((place, 1))
      }
    }
    let steps = before + 1...stamp
    store.namedSteps.append(steps)
    try record(Store.PieceKind.pages, count: 16 + runs.count * 8) { memory in
      memory.set64(0, steps.lowerBound)
      memory.set64(8, steps.upperBound)
      for (index, run) in runs.enumerated() {
        memory.set32(16 + index * 8, run.place)
        memory.set32(20 + index * 8, run.count)
      }
    }
  }
}

extension Store {
  /// Whether the log names the places of pages that were made in this step. The caller holds the
  /// turn.
  func isNamed(_ step: UInt64) -> Bool { !namedSteps.isEmpty && namedSteps.contains { $0.contains(step) } }

  /// Forgets the steps whose part of the log is retired. The caller holds the turn.
  func forgetNamedSteps() {
    let durable = durable.snapshot.stamp
    namedSteps.removeAll { $0.upperBound <= durable }
  }
}
