internal import RoostFile
internal import RoostPages

/// Whether a transaction is still open. Its readers and cursors check this before they read a page.
///
/// It is used by the one thread that runs the transaction's closure.
final class ReadScope {
  // Unchecked because only the transaction's thread accesses them, never within a yield.
  @exclusivity(unchecked) private(set) var isOpen = true
  /// Incremented whenever readers and cursors of this transaction become stale.
  @exclusivity(unchecked) var generation = 0
  private let slots: ReaderSlots
  private let slot: ReaderSlot
  private var isSlotOurs = false
  private var cursors = 0

  init(_ store: Store, _ slot: ReaderSlot) {
    slots = store.frames.slots
    self.slot = slot
  }

  /// Invalidates all readers and cursors. Returns whether the reader slot can be released now. If
  /// not, the last cursor releases it.
  func end() -> Bool {
    isOpen = false
    isSlotOurs = cursors > 0
    return !isSlotOurs
  }

  fileprivate func cursorBegan() { cursors += 1 }

  fileprivate func cursorEnded() {
    cursors -= 1
    if isSlotOurs && cursors == 0 { slots.give(slot) }
  }

  @inline(__always)
  func check(_ known: Int) throws(StoreError) {
    if !isOpen || generation != known { throw refused }
  }

  @inline(never)
  var refused: StoreError {
    let why = isOpen ? "rows were changed since this reader was made" : "the transaction this came from has ended"
    return StoreError(.closed, why)
  }

  @inline(never)
  var nowhere: StoreError { StoreError(.notFound, "the cursor is at no entry") }
}

/// The state of a transaction to which a reader or cursor is bound, and which it checks first.
struct ReadBond {
  let scope: ReadScope
  let generation: Int

  init(_ scope: ReadScope) {
    self.scope = scope
    generation = scope.generation
  }

  @inline(__always)
  func check() throws(StoreError) { try scope.check(generation) }

  var isValid: Bool { scope.isOpen && scope.generation == generation }
}

/// Keeps a transaction's reader slot until its last cursor is gone, if the cursor outlives the
/// transaction.
struct ScopeHold: ~Copyable {
  private let scope: ReadScope

  init(_ scope: ReadScope) {
    self.scope = scope
    scope.cursorBegan()
  }

  deinit { scope.cursorEnded() }
}
