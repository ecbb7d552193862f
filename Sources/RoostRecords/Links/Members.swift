internal import RoostBytes
package import RoostFile
internal import RoostPages
internal import RoostTrees

/// The related rows of a to-many relationship in their order, read from links or from the
/// references of these rows.
///
/// Positions and counts take the time of a look-up. It is invalid after the end of its transaction,
/// and in a write transaction after the next change.
package struct Members {
  package let relationship: Relationship
  let bond: ReadBond
  /// Gives the list of an owner. For references it gives lists without a stored order.
  let lists: MemberLists
  /// The stored orders of references, if there are any.
  let order: MemberLists?

  /// Makes the members of a relationship by links.
  init(_ one: Relationship, links: ByteTree, _ form: LinkForm, bond: ReadBond) {
    relationship = one
    self.bond = bond
    lists = MemberLists(relationship: one, tree: links, source: .links(form, isForward: one.isForward))
    order = nil
  }

  /// Makes the members of a relationship by references, from an index and the stored orders.
  init(
    _ one: Relationship, rows: ByteTree, isOptional: Bool, order: (form: LinkForm, tree: ByteTree)?, _ bond: ReadBond
  ) {
    relationship = one
    self.bond = bond
    lists = MemberLists(relationship: one, tree: rows, source: .index(isOptional: isOptional))
    if let order, !order.tree.root.isEmpty {
      self.order = MemberLists(relationship: one, tree: order.tree, source: .links(order.form, isForward: true))
    } else {
      self.order = nil
    }
  }

  /// The source of this owner's list.
  private func lists(of owner: RowID) throws(StoreError) -> MemberLists {
    try bond.check()
    if let order, try order.holds(owner) { return order }
    return lists
  }

  package func count(of owner: RowID) throws(StoreError) -> Int {
    let (start, end) = try lists(of: owner).bounds(owner)
    return Int(clamping: end - start)
  }

  /// The row at a position in the list; nil after its end.
  package func row(at position: Int, of owner: RowID) throws(StoreError) -> RowID? {
    try lists(of: owner).row(at: position, of: owner)
  }

  /// All rows of the list, in order.
  package func rows(of owner: RowID) throws(StoreError) -> [RowID] {
    var cursor = try cursor(of: owner)
    var found: [RowID] = []
    while let row = try cursor.next() { found.append(row) }
    return found
  }

  package func contains(_ row: RowID, in owner: RowID) throws(StoreError) -> Bool {
    try bond.check()
    // Membership is known without the order.
    return try lists.position(of: row, in: owner, exactly: false) != nil
  }

  /// The position of the row in the list, the first one if the row is there more than once; nil if
  /// it is not there.
  package func position(of row: RowID, in owner: RowID) throws(StoreError) -> Int? {
    try lists(of: owner).position(of: row, in: owner, exactly: true)
  }

  /// A cursor over the list. It moves from either end or from any position.
  package func cursor(of owner: RowID) throws(StoreError) -> MemberCursor {
    let lists = try lists(of: owner)
    let (start, end) = try lists.bounds(owner)
    return MemberCursor(lists, bond, start: start, end: end)
  }

  /// Makes the prefix of all entries of an owner's list in the index of the reference.
  static func range(_ owner: RowID, isOptional: Bool, _ key: inout ByteBuffer) {
    key.clear()
    if isOptional { key.append(1) }
    KeyCoding.append(row: owner, to: &key)
  }
}

/// A position in a list of ``Members``.
package struct MemberCursor: ~Copyable {
  private var cursor: ByteCursor
  private let lists: MemberLists
  private let bond: ReadBond
  private let start: UInt64
  /// The number of rows in the list.
  package let count: Int
  /// The position of the row that ``next()`` would return.
  package private(set) var position = 0
  /// The position of the tree cursor; nil if it must be moved first.
  private var place: Int?
  /// Declared after the cursor, so that it is destroyed after it.
  private let stay: ScopeHold

  init(_ lists: MemberLists, _ bond: ReadBond, start: UInt64, end: UInt64) {
    cursor = ByteCursor(lists.tree)
    self.lists = lists
    self.bond = bond
    self.start = start
    count = Int(clamping: end - start)
    stay = ScopeHold(bond.scope)
  }

  /// Makes ``next()`` return the row at this position, and ``previous()`` the one before it.
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
    try bond.check()
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
    guard isThere, let (key, value) = cursor.entry() else { throw LinkDraft.damaged(lists.relationship) }
    return try lists.target(key.bytes, value.bytes)
  }
}
