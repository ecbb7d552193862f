package import RoostFile
internal import RoostTrees

/// A position among an entity's rows, which are sorted by their numbers.
///
/// It begins before the first row. The first ``next()`` moves to the first row, the first
/// ``previous()`` to the last one. If a page cannot be read, the move throws, and so does every
/// further one until the cursor is positioned again.
package struct RowCursor: ~Copyable {
  private var cursor: IntegerCursor
  private let table: TableReader
  private var hasBegun = false
  /// The row at the cursor, if it is too large for a leaf.
  private var large: RowBytes?
  /// Declared after the cursor, so that it is destroyed after it.
  private let stay: ScopeHold

  init(_ table: TableReader) {
    cursor = IntegerCursor(table.rows)
    self.table = table
    stay = ScopeHold(table.bond.scope)
  }

  package mutating func next() throws(StoreError) -> Bool {
    try table.bond.check()
    if hasBegun { return try cursor.next() }
    hasBegun = true
    return try cursor.first()
  }

  package mutating func previous() throws(StoreError) -> Bool {
    try table.bond.check()
    if hasBegun { return try cursor.previous() }
    hasBegun = true
    return try cursor.last()
  }

  package mutating func first() throws(StoreError) -> Bool {
    try begin()
    return try cursor.first()
  }

  package mutating func last() throws(StoreError) -> Bool {
    try begin()
    return try cursor.last()
  }

  /// Moves to the first row whose number is not below `id`.
  package mutating func seek(_ id: RowID) throws(StoreError) -> Bool {
    try begin()
    return try cursor.seek(id.number)
  }

  /// Moves to the last row whose number is not above `id`.
  package mutating func seek(atMost id: RowID) throws(StoreError) -> Bool {
    try begin()
    return try cursor.seek(atMost: id.number)
  }

  /// Moves to the row with this index, in the time of a look-up.
  package mutating func move(to number: Int) throws(StoreError) -> Bool {
    try begin()
    return try cursor.move(to: UInt64(clamping: number))
  }

  private mutating func begin() throws(StoreError) {
    try table.bond.check()
    hasBegun = true
  }

  package var isAtRow: Bool { table.bond.isValid && cursor.isAtEntry }

  package var id: RowID {
    get throws(StoreError) {
      try table.bond.check()
      if !cursor.isAtEntry { throw table.bond.scope.nowhere }
      return RowID(cursor.key)
    }
  }

  /// The row at the cursor, valid until it moves.
  package mutating func row() throws(StoreError) -> Row {
    try table.bond.check()
    guard cursor.isAtEntry else { throw table.bond.scope.nowhere }
    return try entry()
  }

  /// Moves on and returns the row there, valid until the cursor moves again; nil at the end.
  package mutating func nextRow(isBackward: Bool) throws(StoreError) -> Row? {
    try table.bond.check()
    // After a move that found an entry, the cursor is at that entry.
    if hasBegun {
      guard try isBackward ? cursor.previous() : cursor.next() else { return nil }
    } else {
      guard try isBackward ? last() : first() else { return nil }
    }
    return try entry()
  }

  @inline(__always)
  private mutating func entry() throws(StoreError) -> Row {
    let value = cursor.value
    if value.isExtents { return try largeRow(value) }
    return try table.examine(RowID(cursor.key), value.start, count: value.count)
  }

  @inline(never)
  private mutating func largeRow(_ value: StoredValue) throws(StoreError) -> Row {
    let bytes = try value.load(cursor.view)
    large = RowBytes()
    let memory = large!.make(bytes.count)
    bytes.withUnsafeBytes { memory.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
    return try table.examine(RowID(cursor.key), memory, count: bytes.count)
  }
}
