internal import RoostBytes
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// One index while a transaction changes it.
///
/// Changes wait, and are carried out in the order of their keys when somebody reads the tree, at a savepoint, at the end, or
/// when too many wait.
final class IndexWriter {
  let index: Index
  /// The tree without what waits: whoever uses it settles first.
  let draft: ByteTreeDraft
  /// What is not in the tree yet.
  @exclusivity(unchecked) private var pending: PendingEntries
  private var failure: StoreError?
  private let keys: IndexKeys
  /// The same without a count of its users, for every row.
  private let borrowedKeys: Unmanaged<IndexKeys>
  /// Of the index, kept beside it, because reading them from there counts references.
  let isUnique: Bool
  private let builtBelow: RowID?
  /// The fields whose change may move a row in here.
  let fields: FieldSet
  /// The key of the row that is to be put in, from `prepare` to `add`.
  @exclusivity(unchecked) private var new = ByteBuffer()
  @exclusivity(unchecked) private var stand = IndexKeys.Stand.outside
  /// The key of the row that is taken out.
  @exclusivity(unchecked) private var old = ByteBuffer()
  @exclusivity(unchecked) private var entry = ByteBuffer()
  /// The keys of the row that is to be put in, without its number, if the index has elements. Unchecked as the other keys are: they are
  /// bytes, so no code of a user runs in an access.
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

  /// Makes the key of a row that is to be put in; false where more than the row's own bytes is needed.
  @inline(__always)
  func prepare(_ row: UnsafeRawPointer) -> Bool {
    guard let made = borrowedKeys._withUnsafeGuaranteedRef({ $0.make(row, &new) }) else { return false }
    stand = made
    return true
  }

  /// The same for any row.
  func prepare(_ row: UnsafeRawPointer, _ layout: Layout, outside: IndexKeys.Text) throws(StoreError) {
    if hasElements {
      several = try keys.makeAll(row, layout, outside: outside)
      stand = several.isEmpty ? .outside : .shared
    } else {
      stand = try keys.make(row, layout, key: &new, outside: outside)
    }
  }

  /// Whether the prepared row must be compared with others, because a text of a unique index was cut.
  var isCut: Bool { stand == .cut }

  /// Whether no other row may have the prepared key.
  var isAlone: Bool { isUnique && stand == .alone }

  /// Whether the prepared key and a row's number have room in the tree.
  var keyFits: Bool {
    if stand == .outside { return true }
    return hasElements ? several.allSatisfy { $0.count + 9 <= Limits.keyBytes } : new.count + 9 <= Limits.keyBytes
  }

  /// Whether the row stands in here, once it is there: while the index is built not all do.
  func covers(_ id: RowID) -> Bool { builtBelow.map { id < $0 } ?? true }

  /// The row that stands in the way of the prepared one, if the index is unique and there is one.
  ///
  /// `isSame` says whether another row has the same values, where the keys are equal only as far as they go.
  func conflict(_ own: RowID, _ isSame: (RowID) throws(StoreError) -> Bool) throws(StoreError) -> RowID? {
    stand == .cut ? try cutConflict(own, isSame) : try conflict(own)
  }

  /// The same where the prepared key is not cut.
  func conflict(_ own: RowID) throws(StoreError) -> RowID? {
    guard isUnique, stand == .alone, let row = try row(of: new.bytes) else { return nil }
    return row == own ? nil : row
  }

  /// The row that has a key alone, in the tree or in what waits for it.
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

  /// Puts the prepared row in.
  func add(_ id: RowID) throws(StoreError) { if covers(id) { try put(id) } }

  /// How many entries the prepared row has.
  var entryCount: Int { stand == .outside ? 0 : hasElements ? several.count : 1 }

  /// One of the entries of the prepared row, by its number. Borrowed until another one is made.
  func makeEntry(
    _ id: RowID, number: Int
  ) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
    if hasElements {
      new.clear()
      several[number].withUnsafeBytes { new.append(contentsOf: $0) }
    }
    return makeEntry(id)
  }

  /// The entry of the prepared row; nil if it has none. Borrowed until another one is prepared.
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

  /// Takes a row's entry out; false, and nothing done, where more than the row's own bytes is needed to know it.
  func remove(_ row: UnsafeRawPointer, _ id: RowID) throws(StoreError) -> Bool {
    guard covers(id) else { return true }
    guard let made = borrowedKeys._withUnsafeGuaranteedRef({ $0.make(row, &old) }) else { return false }
    try remove(made, id)
    return true
  }

  /// The same for any row.
  func remove(_ row: UnsafeRawPointer, _ layout: Layout, id: RowID, outside: IndexKeys.Text) throws(StoreError) {
    guard covers(id) else { return }
    guard hasElements else { return try remove(keys.make(row, layout, key: &old, outside: outside), id) }
    for key in try keys.makeAll(row, layout, outside: outside) {
      old.clear()
      key.withUnsafeBytes { old.append(contentsOf: $0) }
      try remove(.shared, id)
    }
  }

  /// Takes out the entry whose key is in `old`.
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

  /// Makes room for a change that waits, and refuses at once what the tree would refuse later.
  @inline(__always)
  private func makeRoom(_ keyBytes: Int) throws(StoreError) {
    if keyBytes > Limits.keyBytes {
      throw StoreError(.keyTooLong, "a key of \(keyBytes) bytes; at most \(Limits.keyBytes) are possible")
    }
    if pending.isFull { try settle() }
  }

  // MARK: Carrying out

  /// The index as it is at this moment, for reading until the next change.
  func tree() throws(StoreError) -> ByteTree {
    try settle()
    return draft.tree
  }

  /// Puts into the tree what waits. After an error the transaction can only be undone.
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
        // Many changes make many drafts, of which there may not be any number.
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
