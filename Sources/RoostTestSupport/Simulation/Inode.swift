internal import RoostFile

/// A file of the simulation, whatever names it has: the visible state, and the state after a crash.
///
/// ## Invariants
/// 1. `durable` with all of `pending` applied equals `seen`, unless a failed sync has lost pages.
/// 2. `pending` is in the order of the calls.
///
/// It belongs to one file system, whose lock protects it.
final class Inode {
  let number: UInt64
  private(set) var seen: Content
  private(set) var durable: Content
  private(set) var pending: [PendingUnit] = []
  /// The handle that holds the file's lock.
  var lockHolder: UInt64?
  /// A failed sync has marked pages clean that never reached the device, so a sync would not save
  /// all of `seen`.
  private var hasLostPages = false
  /// An error of the device that the next sync will report.
  private var errorIsDue = false

  init(number: UInt64, content: Content = Content()) {
    self.number = number
    seen = content
    durable = content
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int, sequence: inout UInt64) {
    if offset + bytes.count > seen.size { grow(to: offset + bytes.count, sequence: &sequence) }
    seen.write(bytes, at: offset)
    pending += PendingUnit.sectors(of: bytes, file: number, at: offset, from: &sequence)
  }

  func resize(to size: Int, sequence: inout UInt64) {
    if size > seen.size { return grow(to: size, sequence: &sequence) }
    if size == seen.size { return }
    seen.cut(to: size)
    sequence += 1
    pending.append(PendingUnit(sequence: sequence, change: .cut(file: number, to: size)))
  }

  private func grow(to size: Int, sequence: inout UInt64) {
    seen.grow(to: size)
    sequence += 1
    pending.append(PendingUnit(sequence: sequence, change: .grow(file: number, to: size)))
  }

  func sync(_ failure: SyncFailure?) throws(Fault) {
    switch failure {
    case nil where errorIsDue:
      errorIsDue = false
      losePages()
      throw Fault(ErrorNumber.io)
    case nil: save()
    case .keptAndMarkedClean:
      losePages()
      throw Fault(ErrorNumber.io)
    case .reverted:
      seen = durable
      pending = []
      hasLostPages = false
      throw Fault(ErrorNumber.io)
    case .reportedLate:
      losePages()
      errorIsDue = true
    }
  }

  /// Changes the file durably without its users' knowledge: damage, or a file that existed before.
  func replace(_ content: Content) {
    seen = content
    durable = content
    pending = []
    hasLostPages = false
  }

  private func save() {
    if hasLostPages { durable.apply(pending, file: number) { _ in true } } else { durable = seen }
    pending = []
  }

  private func losePages() {
    if !pending.isEmpty { hasLostPages = true }
    pending = []
  }
}
