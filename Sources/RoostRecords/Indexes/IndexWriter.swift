internal import RoostBytes
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// Changes one index during a transaction.
///
/// Changes wait in memory. They are applied in key order when the tree is read, at a savepoint, at
/// the end, or when too many wait.
final class IndexWriter {
  let index: Index
  /// The tree without the waiting changes. Call `settle` before it is used.
  let draft: ByteTreeDraft
  /// The changes that are not in the tree yet.
  @exclusivity(unchecked) private var pending: PendingEntries
  private var failure: StoreError?
  private let keys: IndexKeys
  /// The index's keys without reference counting, for use in every row.
  private let borrowedKeys: Unmanaged<IndexKeys>
  /// Copied from the index, because reading it there counts references.
  let isUnique: Bool
  private let builtBelow: RowID?
  /// The fields whose change may move a row's entry.
  let fields: FieldSet
  /// The key of the row to insert, from `prepare` to `add`.
  @exclusivity(unchecked) private var new = ByteBuffer()
  @exclusivity(unchecked) private var stand = IndexKeys.Stand.outside
  /// The key of the row to remove.
  @exclusivity(unchecked) private var old = ByteBuffer()
  @exclusivity(unchecked) private var entry = ByteBuffer()
  /// The keys of the row to insert, without its number, if the index has elements. Unchecked as the
  /// other keys are: they are bytes, so no code of a user runs during an access.
  @exclusivity(unchecked) private var several: [[UInt8]] = []
  private let hasElements: Bool

  init(_ index: Index, _ layout: Layout, draft: ByteTreeDraft) {
    self.index = index
    self.draft = draft
    pending = PendingEntries(isFindable: index.isUnique)
    isUnique = index.isUnique
    builtBelow = index.builtBelow
    keys = IndexKeys(index, layout)
    hasElements = keys.hasElements
    borrowedKeys = .passUnretained(keys)
    let needed = index.fields
    var fields = FieldSet()
    for (at, member) in layout.members.enumerated() where needed.contains(member.id) { fields.insert(at) }
    self.fields = fields
  }

  // MARK: Changing

  /// Makes the key of a row to insert. Returns false if values outside the row are needed.
  @inline(__always)
  func prepare(_ row: UnsafeRawPointer) -> Bool {
    guard let made = borrowedKeys._withUnsafeGuaranteedRef({ $0.make(row, &new) }) else { return false }
    stand = made
    return true
  }

  /// Makes the key of any row to insert.
  func prepare(_ row: UnsafeRawPointer, _ layout: Layout, outside: IndexKeys.Text) throws(StoreError) {
    if hasElements {
      several = try keys.makeAll(row, layout, outside: outside)
      stand = several.isEmpty ? .outside : .shared
    } else {
      stand = try keys.make(row, layout, key: &new, outside: outside)
    }
  }

  /// Whether the prepared row must be compared with others by whole values, because a text of a
  /// unique index was cut.
  var isCut: Bool { stand == .cut }

  /// Whether the index forbids the prepared key in other rows.
  var isAlone: Bool { isUnique && stand == .alone }

  /// Whether the prepared key with a row number is within the tree's limit.
  var keyFits: Bool {
    if stand == .outside { return true }
    return hasElements ? several.allSatisfy { $0.count + 9 <= Limits.keyBytes } : new.count + 9 <= Limits.keyBytes
  }

  /// Whether the index has entries for this row. While the index is built, it has them only for
  /// rows below `builtBelow`.
  func covers(_ id: RowID) -> Bool { builtBelow.map { id < $0 } ?? true }

  /// The row that has the same unique values as the prepared one, if any.
  ///
  /// `isSame` compares whole values. It is called for rows whose cut keys are equal.
  func conflict(_ own: RowID, _ isSame: (RowID) throws(StoreError) -> Bool) throws(StoreError) -> RowID? {
    stand == .cut ? try cutConflict(own, isSame) : try conflict(own)
  }

  /// The row that has the same unique values as the prepared one, if its key is not cut.
  func conflict(_ own: RowID) throws(StoreError) -> RowID? {
    guard isUnique, stand == .alone, let row = try row(of: new.bytes) else { return nil }
    return row == own ? nil : row
  }

  /// The row of a unique key, in the tree or in the waiting changes.
  @inline(__always)
  func row(of key: UnsafeRawBufferPointer) throws(StoreError) -> RowID? {
    let found: RowID??
    switch pending.find(key) {
    case .removed: return nil
    case .value(let value): found = KeyCoding.row(endOf: value, from: 1)
    case .nothing: found = try draft.tree.withValue(of: ByteKey(key)) { value in KeyCoding.row(endOf: value, from: 1) }
    }
    guard let found else { return nil }
    guard let row = found else { throw Self.damaged(index) }
    return row
  }

  private func cutConflict(_ own: RowID, _ isSame: (RowID) throws(StoreError) -> Bool) throws(StoreError) -> RowID? {
    var cursor = ByteCursor(try tree())
    var isThere = try cursor.seek(ByteKey(new.bytes))
    while isThere, let (key, value) = cursor.entry() {
      guard key.count > new.count, key.bytes.prefix(new.count).elementsEqual(new.bytes) else { return nil }
      guard let (row, _) = IndexEntry.row(key.bytes, value.bytes) else { throw Self.damaged(index) }
      if row != own, try isSame(row) { return row }
      isThere = try cursor.next()
    }
    return nil
  }

  /// Inserts the prepared row.
  func add(_ id: RowID) throws(StoreError) { if covers(id) { try put(id) } }

  /// The number of entries of the prepared row.
  var entryCount: Int { stand == .outside ? 0 : hasElements ? several.count : 1 }

  /// One of the entries of the prepared row, by its index. Valid until the next one is made.
  func makeEntry(
    _ id: RowID, number: Int
  ) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
    if hasElements {
      new.clear()
      several[number].withUnsafeBytes { new.append(contentsOf: $0) }
    }
    return makeEntry(id)
  }

  /// The entry of the prepared row; nil if it has none. Valid until the next row is prepared.
  private func makeEntry(_ id: RowID) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
    if stand == .outside { return nil }
    entry.clear()
    if stand == .alone {
      entry.append(0)
      KeyCoding.append(row: id, to: &entry)
    } else {
      let start = new.count
      KeyCoding.append(row: id, to: &new)
      entry.append(UInt8(new.count - start))
    }
    return (new.bytes, entry.bytes)
  }

  func put(_ id: RowID) throws(StoreError) {
    for number in 0..<entryCount {
      guard let (key, value) = makeEntry(id, number: number) else { return }
      try makeRoom(key.count)
      pending.put(key, value)
    }
  }

  /// Removes a row's entry. Returns false and changes nothing if values outside the row are needed.
  func remove(_ row: UnsafeRawPointer, _ id: RowID) throws(StoreError) -> Bool {
    guard covers(id) else { return true }
    guard let made = borrowedKeys._withUnsafeGuaranteedRef({ $0.make(row, &old) }) else { return false }
    try remove(made, id)
    return true
  }

  /// Removes the entries of any row.
  func remove(_ row: UnsafeRawPointer, _ layout: Layout, id: RowID, outside: IndexKeys.Text) throws(StoreError) {
    guard covers(id) else { return }
    guard hasElements else { return try remove(keys.make(row, layout, key: &old, outside: outside), id) }
    for key in try keys.makeAll(row, layout, outside: outside) {
      old.clear()
      key.withUnsafeBytes { old.append(contentsOf: $0) }
      try remove(.shared, id)
    }
  }

  /// Removes the entry whose key is in `old`.
  @inline(__always)
  private func remove(_ stand: IndexKeys.Stand, _ id: RowID) throws(StoreError) {
    switch stand {
    case .outside: return
    case .alone: break
    case .shared, .cut: KeyCoding.append(row: id, to: &old)
    }
    try makeRoom(old.count)
    pending.remove(old.bytes)
  }

  /// Makes room for a waiting change. Throws now if the tree would later refuse the key.
  @inline(__always)
  private func makeRoom(_ keyBytes: Int) throws(StoreError) {
    if keyBytes > Limits.keyBytes {
      throw StoreError(.keyTooLong, "a key of \(keyBytes) bytes; at most \(Limits.keyBytes) are possible")
    }
    if pending.isFull { try settle() }
  }

  // MARK: Applying

  /// The index with all changes, valid for reading until the next change.
  func tree() throws(StoreError) -> ByteTree {
    try settle()
    return draft.tree
  }

  /// Applies the waiting changes to the tree. After an error the transaction can only be rolled
  /// back.
  func settle() throws(StoreError) {
    if let failure { throw failure }
    if pending.isEmpty { return }
    do throws(StoreError) {
      pending.sort()
      for place in 0..<pending.count {
        let (key, value) = pending.change(place)
        if let value {
          try draft.put(ByteKey(key), value)
        } else if try !draft.removeExpected(ByteKey(key)) {
          throw Self.damaged(index)
        }
        // Many changes make many drafts, whose number is bounded.
        if place & 7 == 7 { try draft.transaction.relieve() }
      }
      pending.clear()
    } catch {
      failure = error
      throw error
    }
  }

  static func damaged(_ index: Index) -> StoreError {
    StoreError(.damaged, "the index \(index.name) and its rows do not agree")
  }
}
