import RoostFile
import RoostTrees

/// The content of ``Cursor`` and ``TableCursor``: a cursor that throws after the tree has changed
/// or the transaction has ended.
struct ScopedCursor<Base: KeyedCursor & ~Copyable>: ~Copyable {
  private(set) var cursor: Base
  private let scope: Scope
  private let generation: Int
  private var hasBegun = false
  /// Declared after the cursor, so that it is destroyed after it.
  private let stay: CursorStay

  init(_ cursor: consuming Base, _ scope: Scope) {
    self.cursor = cursor
    self.scope = scope
    stay = CursorStay(scope)
    generation = scope.generation
  }

  var isAtEntry: Bool { cursor.isAtEntry && scope.isOpen && scope.generation == generation }

  private func check() throws(StoreError) {
    try scope.check()
    if scope.generation != generation { throw scope.stale }
  }

  /// Moves the cursor. Returns false if there is no entry there.
  @inline(__always)
  mutating func go(_ move: CursorMove<Base.Key>) throws(StoreError) -> Bool {
    try check()
    switch move {
    case .next where hasBegun: return try cursor.next()
    case .previous where hasBegun: return try cursor.previous()
    default: hasBegun = true
    }
    return switch move {
    case .first, .next: try cursor.first()
    case .last, .previous: try cursor.last()
    case .atLeast(let key): try cursor.seek(key)
    case .atMost(let key): try cursor.seek(atMost: key)
    case .number(let number): try cursor.move(to: UInt64(clamping: number))
    }
  }

  /// The entry in its leaf.
  @inline(__always)
  func entry() throws(StoreError) -> (key: Base.Key, value: StoredValue) {
    try check()
    guard let entry = cursor.entry() else { throw scope.nowhere }
    return entry
  }
}

/// A move of a cursor. As the first move, `next` moves to the first entry and `previous` to the
/// last one.
enum CursorMove<Key> {
  case first, last, next, previous, atLeast(Key), atMost(Key), number(Int)
}

/// Keeps a transaction's reader slot until its last cursor is gone, if the cursor outlives the
/// transaction.
@usableFromInline struct CursorStay: ~Copyable {
  let scope: Scope

  init(_ scope: Scope) {
    self.scope = scope
    scope.cursors += 1
  }

  deinit { scope.cursorEnded() }
}
