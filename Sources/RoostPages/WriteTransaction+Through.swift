import RoostBytes
package import RoostFile
import Synchronization

/// Pages that are written to their places before the record that names them.
///
/// A tree that is built from sorted input would be logged entry by entry, and its pages written again by the
/// checkpoint. Written through, it is written once: the record names its places, and recovery reserves them before
/// it replays. While the log names a place, the place is not used again: whoever leaves such a page knows it by the
/// step that made it.
extension WriteTransaction {
  /// What a transaction makes between `beginThrough` and `endThrough`: pages that are complete when they are written.
  package struct Through {
    let savepoint: Savepoint
    let firstBirth: Int
    /// Births before this one are written.
    var written: Int
  }

  /// Whether pages can be written through here; else they stay drafts like others.
  package var canWriteThrough: Bool { canName }

  package func beginThrough() throws(StoreError) -> Through {
    let point = try savepoint()
    return Through(savepoint: point, firstBirth: births.count, written: births.count)
  }

  /// Pages made since the last writing that are worth one.
  private static var batch: Int { 2048 }

  /// Writes what was made so far, from time to time.
  package func continueThrough(_ through: inout Through) throws(StoreError) {
    if births.count - through.written < Self.batch { return }
    guard canWriteThrough else { return try relieve() }
    try write(&through)
    store.frames.trim()
  }

  /// Writes what is left and names all places in the record. Returns the root with its true check.
  package func endThrough(_ through: Through, _ root: Root) throws(StoreError) -> Root {
    var through = through
    var root = root
    if canWriteThrough && births.count > through.firstBirth {
      try write(&through)
      try name(births[through.firstBirth...].sorted(), from: through.savepoint.stamp)
      let page = root.reference.page
      if page != .none { root.reference = PageReference(page, check: frames.check(page)) }
    }
    beginStep()
    release(through.savepoint)
    return root
  }

  /// Undoes everything since `beginThrough`.
  package func abandonThrough(_ through: Through) { rollback(to: through.savepoint) }

  private func write(_ through: inout Through) throws(StoreError) {
    guard let file = store.file else { return }
    let places = births[through.written...].filter { frames.state(PageID($0)) & FrameState.draft != 0 }.sorted()
    through.written = births.count
    expectDataSync()
    try PageWriter(file: file, frames: frames, settleChecks: store.floor.settleChecks).write(places)
    for place in places { store.frames.settle(PageID(place)) }
  }

  /// Puts the places into the record: u64 first and u64 last step that made them, then runs of {u32 place, u32 count}.
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
  /// Whether the log names the places of what was made in this step. Under the turn.
  func isNamed(_ step: UInt64) -> Bool { !namedSteps.isEmpty && namedSteps.contains { $0.contains(step) } }

  /// Forgets the steps whose part of the log is retired. Under the turn.
  func forgetNamedSteps() {
    let durable = durable.snapshot.stamp
    namedSteps.removeAll { $0.upperBound <= durable }
  }
}
