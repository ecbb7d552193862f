internal import RoostBytes
package import RoostFile
internal import RoostPages
internal import RoostTrees

/// The rows to which a row leads by a to-many relationship, in their order: by links, or by the references of the others.
///
/// Numbers in a list are found and counted in the time of a look-up. It is refused after its transaction's end, or after
/// the next change of one that writes.
package struct Members {
  package let relationship: Relationship
  let bond: ReadBond
  /// What gives the list of an owner; by reference, of those for which no order was written.
  let lists: MemberLists
  /// The orders of rows that refer to one, where some were written.
  let order: MemberLists?

  /// Those that a tree of links gives.
  init(_ one: Relationship, links: ByteTree, _ form: LinkForm, bond: ReadBond) {
    relationship = one
    self.bond = bond
    lists = MemberLists(relationship: one, tree: links, source: .links(form, isForward: one.isForward))
    order = nil
  }

  /// Rows that refer to one, which an index gives, and the orders that were written.
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

  /// What gives this owner's list.
  private func lists(of owner: RowID) throws(StoreError) -> MemberLists {
    try bond.check()
    if let order, try order.holds(owner) { return order }
    return lists
  }

  package func count(of owner: RowID) throws(StoreError) -> Int {
    let (start, end) = try lists(of: owner).bounds(owner)
    return Int(clamping: end - start)
  }

  /// The row at a place in the list; nil behind its end.
  package func row(at position: Int, of owner: RowID) throws(StoreError) -> RowID? {
    try lists(of: owner).row(at: position, of: owner)
  }

  /// All of them, in order.
  package func rows(of owner: RowID) throws(StoreError) -> [RowID] {
    var cursor = try cursor(of: owner)
    var found: [RowID] = []
    while let row = try cursor.next() { found.append(row) }
    return found
  }

  package func contains(_ row: RowID, in owner: RowID) throws(StoreError) -> Bool {
    try bond.check()
    // Who belongs to it is known without the order.
    return try lists.position(of: row, in: owner, exactly: false) != nil
  }

  /// Where the row stands in the list, the first time if it is there more than once; nil if it is not there.
  package func position(of row: RowID, in owner: RowID) throws(StoreError) -> Int? {
    try lists(of: owner).position(of: row, in: owner, exactly: true)
  }

  /// Goes through the list, from either end or from anywhere.
  package func cursor(of owner: RowID) throws(StoreError) -> MemberCursor {
    let lists = try lists(of: owner)
    let (start, end) = try lists.bounds(owner)
    return MemberCursor(lists, bond, start: start, end: end)
  }

  /// What all entries of an owner's list in the index of the reference begin with.
  static func range(_ owner: RowID, isOptional: Bool, _ key: inout ByteBuffer) {
    key.clear()
    if isOptional { key.append(1) }
    KeyCoding.append(row: owner, to: &key)
  }
}

/// A place in a list of ``Members``.
package struct MemberCursor: ~Copyable {
  private var cursor: ByteCursor
  private let lists: MemberLists
  private let bond: ReadBond
  private let start: UInt64
  /// How many rows the list has.
  package let count: Int
  /// The number of the row that ``next()`` would give.
  package private(set) var position = 0
  /// Where the cursor stands; nil where it must be moved there first.
  private var place: Int?
  /// Declared behind the cursor, so that it is destroyed after it.
  private let stay: ScopeHold

  init(_ lists: MemberLists, _ bond: ReadBond, start: UInt64, end: UInt64) {
    cursor = ByteCursor(lists.tree)
    self.lists = lists
    self.bond = bond
    self.start = start
    count = Int(clamping: end - start)
    stay = ScopeHold(bond.scope)
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
