internal import RoostBytes
package import RoostFile
internal import RoostPages
internal import RoostTrees

/// The rows to which a row leads by a to-many relationship, in their order: by links, or by the references of the others.
///
/// Numbers in a list are found and counted in the time of a look-up. It is refused after its transaction's end, or after
/// the next change of one that writes.
package struct Members {
  enum Source {
    case links(LinkForm, isForward: Bool)
    /// The index of a reference.
    case index(isOptional: Bool)
  }

  package let relationship: Relationship
  let tree: ByteTree
  let source: Source
  let bond: ReadBond

  private func range(_ owner: RowID) -> ByteBuffer {
    var key = ByteBuffer(capacity: 64)
    range(owner, &key)
    return key
  }

  /// What all entries of a row's list begin with, and no others.
  func range(_ owner: RowID, _ key: inout ByteBuffer) {
    switch source {
    case .links(let form, let isForward): form.prefix(owner, isForward, &key)
    case .index(let isOptional):
      key.clear()
      if isOptional { key.append(1) }
      KeyCoding.append(row: owner, to: &key)
    }
  }

  private func bounds(_ owner: RowID) throws(StoreError) -> (start: UInt64, end: UInt64) {
    try bond.check()
    var key = range(owner)
    let start = try tree.rank(of: ByteKey(key.bytes))
    key.goBehindPrefix()
    let end = try tree.rank(of: ByteKey(key.bytes))
    return (start, max(start, end))
  }

  func target(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(StoreError) -> RowID {
    switch source {
    case .links(let form, let isForward):
      if let link = form.link(key, value) { return link.row(!isForward) }
    case .index:
      if let entry = IndexEntry.row(key, value) { return entry.row }
    }
    throw LinkDraft.damaged(relationship)
  }

  package func count(of owner: RowID) throws(StoreError) -> Int {
    let (start, end) = try bounds(owner)
    return Int(clamping: end - start)
  }

  /// The row at a place in the list; nil behind its end.
  package func row(at position: Int, of owner: RowID) throws(StoreError) -> RowID? {
    let (start, end) = try bounds(owner)
    guard position >= 0, UInt64(position) < end - start else { return nil }
    var cursor = ByteCursor(tree)
    guard try cursor.move(to: start + UInt64(position)), let (key, value) = cursor.entry() else { return nil }
    return try target(key.bytes, value.bytes)
  }

  /// All of them, in order.
  package func rows(of owner: RowID) throws(StoreError) -> [RowID] {
    var cursor = try cursor(of: owner)
    var found: [RowID] = []
    while let row = try cursor.next() { found.append(row) }
    return found
  }

  package func contains(_ row: RowID, in owner: RowID) throws(StoreError) -> Bool {
    try position(of: row, in: owner, exactly: false) != nil
  }

  /// Where the row stands in the list, the first time if it is there more than once; nil if it is not there.
  package func position(of row: RowID, in owner: RowID) throws(StoreError) -> Int? {
    try position(of: row, in: owner, exactly: true)
  }

  private func position(of row: RowID, in owner: RowID, exactly: Bool) throws(StoreError) -> Int? {
    try bond.check()
    var key = range(owner)
    switch source {
    case .links(let form, let isForward):
      let (first, second) = isForward ? (owner, row) : (row, owner)
      guard let link = try LinkDraft.find(first, second, form, tree, relationship) else { return nil }
      if !exactly { return 0 }
      form.key(link, isForward, &key)
    case .index:
      guard let found = try tree.withValue(of: ByteKey(key.bytes), { value in IndexEntry.row(key.bytes, value)?.row })
      else {
        KeyCoding.append(row: row, to: &key)
        guard try tree.withValue(of: ByteKey(key.bytes), { _ in true }) != nil else { return nil }
        break
      }
      return found == row ? 0 : nil
    }
    if !exactly { return 0 }
    let (rank, start) = (try tree.rank(of: ByteKey(key.bytes)), try bounds(owner).start)
    guard rank >= start else { throw LinkDraft.damaged(relationship) }
    return Int(clamping: rank - start)
  }

  /// Goes through the list, from either end or from anywhere.
  package func cursor(of owner: RowID) throws(StoreError) -> MemberCursor {
    let (start, end) = try bounds(owner)
    return MemberCursor(self, start, end)
  }
}

/// A place in a list of ``Members``.
package struct MemberCursor: ~Copyable {
  private var cursor: ByteCursor
  private let members: Members
  private let start: UInt64
  /// How many rows the list has.
  package let count: Int
  /// The number of the row that ``next()`` would give.
  package private(set) var position = 0
  /// Where the cursor stands; nil where it must be moved there first.
  private var place: Int?
  /// Declared behind the cursor, so that it is destroyed after it.
  private let stay: CursorStay

  init(_ members: Members, _ start: UInt64, _ end: UInt64) {
    cursor = ByteCursor(members.tree)
    self.members = members
    self.start = start
    count = Int(clamping: end - start)
    stay = CursorStay(members.bond.scope)
  }

  /// Makes ``next()`` give the row of this number, and ``previous()`` the one before it.
  package mutating func move(to position: Int) { self.position = max(0, min(position, count)) }

  package mutating func next() throws(StoreError) -> RowID? {
    guard position < count else { return nil }
    defer { position += 1 }
    return try read(position)
  }

  package mutating func previous() throws(StoreError) -> RowID? {
    guard position > 0 else { return nil }
    position -= 1
    return try read(position)
  }

  private mutating func read(_ wanted: Int) throws(StoreError) -> RowID {
    try members.bond.check()
    let isThere: Bool
    if let place, wanted == place + 1 {
      isThere = try cursor.next()
    } else if let place, wanted == place - 1 {
      isThere = try cursor.previous()
    } else if place == wanted {
      isThere = cursor.isAtEntry
    } else {
      isThere = try cursor.move(to: start + UInt64(wanted))
    }
    place = wanted
    guard isThere, let (key, value) = cursor.entry() else { throw LinkDraft.damaged(members.relationship) }
    return try members.target(key.bytes, value.bytes)
  }
}
