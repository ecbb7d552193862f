internal import RoostBytes
package import RoostFile
internal import RoostTrees

/// Reads the lists of one row after another.
///
/// It looks up the start of a list, and ends it at the first entry of another row. So a short list
/// costs one look-up. ``MemberCursor`` takes three, because it knows positions and counts.
package struct MemberWalk: ~Copyable {
  private enum State { case ended, begun, inside }

  private var cursor: ByteCursor
  /// A cursor over the stored orders, if there are any.
  private var order: ByteCursor?
  private var isOrdered = false
  private let members: Members
  /// The prefix of all entries of the list.
  private var prefix = ByteBuffer(capacity: 64)
  private var state = State.ended
  /// Declared after the cursor, so that it is destroyed after it.
  private let stay: ScopeHold

  package init(_ members: Members) throws(StoreError) {
    try members.bond.check()
    cursor = ByteCursor(members.lists.tree)
    if let tree = members.order?.tree { order = ByteCursor(tree) }
    self.members = members
    stay = ScopeHold(members.bond.scope)
  }

  /// Makes ``next()`` return the first row of this owner's list.
  package mutating func begin(_ owner: RowID) throws(StoreError) {
    try members.bond.check()
    if let lists = members.order {
      lists.range(owner, &prefix)
      _ = try order?.seek(ByteKey(prefix.bytes))
      isOrdered = order?.entry()?.key.begins(with: prefix.bytes) == true
      if isOrdered {
        state = .begun
        return
      }
    }
    members.lists.range(owner, &prefix)
    state = .begun
  }

  package mutating func next() throws(StoreError) -> RowID? {
    try members.bond.check()
    if isOrdered, state != .ended { return try nextOrdered() }
    let isThere: Bool
    switch state {
    case .ended: return nil
    case .begun: isThere = try cursor.seek(ByteKey(prefix.bytes))
    case .inside: isThere = try cursor.next()
    }
    state = .inside
    guard isThere, let (key, value) = cursor.entry(), key.begins(with: prefix.bytes) else {
      state = .ended
      return nil
    }
    return try members.lists.target(key.bytes, value.bytes)
  }

  /// When the list begins, the cursor is already at its first entry.
  private mutating func nextOrdered() throws(StoreError) -> RowID? {
    if state == .inside { _ = try order?.next() }
    state = .inside
    guard let (key, value) = order?.entry(), key.begins(with: prefix.bytes), let lists = members.order else {
      state = .ended
      return nil
    }
    return try lists.target(key.bytes, value.bytes)
  }
}
