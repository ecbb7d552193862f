internal import RoostFile
internal import RoostPages

/// Whether a transaction is still open; what it handed out asks this before it touches a page.
///
/// It is used by the one thread that runs the transaction's closure.
final class ReadScope {
  // Unchecked because the one thread of the transaction touches them, never within a yield.
  @exclusivity(unchecked) private(set) var isOpen = true
  /// Grows with everything that makes readers and cursors of this transaction stale.
  @exclusivity(unchecked) var generation = 0
  private let slots: ReaderSlots
  private let slot: ReaderSlot
  private var isSlotOurs = false
  private var cursors = 0

  init(_ store: Store, _ slot: ReaderSlot) {
    slots = store.frames.slots
    self.slot = slot
  }

  /// Closes everything that was handed out; returns whether the slot can be given back now. If not, the last cursor does.
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
    let why = isOpen ? "rows were changed since this was asked for" : "the transaction this came from has ended"
    return StoreError(.closed, why)
  }

  @inline(never)
  var nowhere: StoreError { StoreError(.notFound, "the cursor is at no entry") }
}

/// What a reader or cursor is bound to, and asks first.
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

/// Keeps a transaction's slot until its last cursor is gone, should one outlive the transaction.
struct ScopeHold: ~Copyable {
  private let scope: ReadScope

  init(_ scope: ReadScope) {
    self.scope = scope
    scope.cursorBegan()
  }

  deinit { scope.cursorEnded() }
}
