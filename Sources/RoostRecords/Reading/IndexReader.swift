package import RoostFile
internal import RoostPages
internal import RoostTrees

/// One index in a snapshot.
package final class IndexReader {
  package let index: Index
  // The planner reads these properties of every index, without a copy of the whole description.
  /// Whether it contains every row that it admits. Plans use complete indexes only.
  package let isWhole: Bool
  /// Whether it has a condition.
  package let isPartial: Bool
  package let firstField: FieldID
  package let firstForm: Index.Form
  /// Whether a row may have several entries, or none.
  package let hasElements: Bool
  let tree: ByteTree
  let bond: ReadBond

  init(_ index: Index, _ tree: ByteTree, bond: ReadBond) {
    self.index = index
    isWhole = index.builtBelow == nil
    isPartial = !index.tests.isEmpty
    (firstField, firstForm) = (index.parts[0].field, index.parts[0].form)
    hasElements = index.hasElements
    self.tree = tree
    self.bond = bond
  }

  package var count: Int { Int(clamping: tree.root.count) }

  /// The exact number of entries from the key `low` up to, but without, `high`; nil means the end.
  /// Takes the time of two look-ups.
  package func count(from low: UnsafeRawBufferPointer, to high: UnsafeRawBufferPointer?) throws(StoreError) -> Int {
    try bond.check()
    return Int(clamping: try tree.count(from: ByteKey(low), to: high.map { ByteKey($0) }))
  }

  /// The number of entries before the key.
  package func rank(of key: UnsafeRawBufferPointer) throws(StoreError) -> Int {
    try bond.check()
    return Int(clamping: try tree.rank(of: ByteKey(key)))
  }

  package func cursor() throws(StoreError) -> IndexCursor {
    try bond.check()
    return IndexCursor(self)
  }

  /// The row with this whole key in a unique index; nil if there is none, or if several rows may
  /// have the key.
  package func row(_ key: UnsafeRawBufferPointer) throws(StoreError) -> RowID? {
    try bond.check()
    let found = try tree.withValue(of: ByteKey(key)) { IndexEntry.row(key, $0)?.row }
    guard let found else { return nil }
    guard let row = found else { throw IndexWriter.damaged(index) }
    return row
  }
}

/// A position in an index.
package struct IndexCursor: ~Copyable {
  private var cursor: ByteCursor
  private let reader: IndexReader
  private var hasBegun = false
  /// Declared after the cursor, so that it is destroyed after it.
  private let stay: ScopeHold

  init(_ reader: IndexReader) {
    cursor = ByteCursor(reader.tree)
    self.reader = reader
    stay = ScopeHold(reader.bond.scope)
  }

  /// Moves to the next entry, or from the start to the first one. Returns false after the last one.
  package mutating func next() throws(StoreError) -> Bool {
    try reader.bond.check()
    if hasBegun { return try cursor.next() }
    hasBegun = true
    return try cursor.first()
  }

  /// Moves to the previous entry, or from the start to the last one. Returns false before the first
  /// one.
  package mutating func previous() throws(StoreError) -> Bool {
    try reader.bond.check()
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

  /// Moves to the first entry whose key is not below `key`.
  package mutating func seek(_ key: UnsafeRawBufferPointer) throws(StoreError) -> Bool {
    try begin()
    return try cursor.seek(ByteKey(key))
  }

  /// Moves to the last entry whose key is not above `key`.
  package mutating func seek(atMost key: UnsafeRawBufferPointer) throws(StoreError) -> Bool {
    try begin()
    return try cursor.seek(atMost: ByteKey(key))
  }

  /// Moves to the entry with this index, in the time of a look-up.
  package mutating func move(to number: Int) throws(StoreError) -> Bool {
    try begin()
    return try cursor.move(to: UInt64(clamping: number))
  }

  private mutating func begin() throws(StoreError) {
    try reader.bond.check()
    hasBegun = true
  }

  package var isAtEntry: Bool { reader.bond.isValid && cursor.isAtEntry }

  /// The entry's key, valid until the cursor moves. It may end with the row's number: see
  /// ``entry()``.
  package mutating func key() throws(StoreError) -> UnsafeRawBufferPointer {
    try reader.bond.check()
    guard cursor.isAtEntry else { throw reader.bond.scope.nowhere }
    return cursor.key.bytes
  }

  /// The entry's row.
  package mutating func row() throws(StoreError) -> RowID {
    try reader.bond.check()
    guard cursor.isAtEntry else { throw reader.bond.scope.nowhere }
    // Usually the number is at the key's end, and the rest of the key need not be assembled.
    let value = cursor.value
    if value.count == 1, !value.isExtents {
      let bytes = Int(value.start.load(as: UInt8.self))
      if (1...8).contains(bytes), let tail = cursor.tail(bytes), let row = KeyCoding.row(before: tail + bytes, bytes) {
        return row
      }
    }
    return try entry().row
  }

  /// The entry's row, its key, valid until the cursor moves, and the number of key bytes that are
  /// values.
  package mutating func entry() throws(StoreError) -> (row: RowID, key: UnsafeRawBufferPointer, valueBytes: Int) {
    try reader.bond.check()
    guard let (key, value) = cursor.entry() else { throw reader.bond.scope.nowhere }
    guard !value.isExtents, let (row, valueBytes) = IndexEntry.row(key.bytes, value.bytes) else {
      throw IndexWriter.damaged(reader.index)
    }
    return (row, key.bytes, valueBytes)
  }
}
