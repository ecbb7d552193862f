internal import RoostBytes
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// The order of the rows that refer to one row, while a transaction changes it.
///
/// Most lists are in the order of their rows' numbers, because rows usually arrive in that order.
/// Nothing is written for them: the index of the reference gives the rows. The first change to
/// another order writes an entry for each row of the list. When the last row leaves an owner, its
/// entries are gone.
///
/// ## Invariants
/// 1. An owner has an entry for each row that refers to it, or for none.
/// 2. If it has none, its list is in the order of the rows' numbers.
final class ChildOrder {
  let links: LinkDraft
  private let index: IndexWriter
  private let isOptional: Bool
  @exclusivity(unchecked) private var key = ByteBuffer(capacity: 64)
  /// Whether the owner of the last call has entries.
  @exclusivity(unchecked) private var asked: (owner: RowID, holds: Bool)?
  /// No row of these owners has a greater number. So a row is compared without applying the waiting
  /// changes of the index.
  @exclusivity(unchecked) private var greatest: [RowID: RowID] = [:]
  /// Whether the index may have waiting rows of owners that are not in `greatest`.
  @exclusivity(unchecked) private var othersWait = false

  /// The most owners that are remembered.
  private static let mostOwners = 1 << 14

  init(_ links: LinkDraft, _ index: IndexWriter, isOptional: Bool) {
    self.links = links
    self.index = index
    self.isOptional = isOptional
  }

  /// Joins the next transaction.
  func begin() { (asked, greatest, othersWait) = (nil, [:], false) }

  /// Whether the owner has entries.
  func holds(_ owner: RowID) throws(StoreError) -> Bool {
    if links.draft.root.isEmpty { return false }
    if let asked, asked.owner == owner { return asked.holds }
    let holds = try LinkDraft.holds(owner, links.form, tree: links.draft.tree)
    asked = (owner, holds)
    return holds
  }

  // MARK: Following

  /// Adds a row to the end of the owner's list after the row began to refer to it. Returns whether
  /// an entry was written.
  ///
  /// - Parameter isNewest: whether no row of its entity ever had a greater number.
  func came(_ row: RowID, to owner: RowID, isNewest: Bool) throws(StoreError) -> Bool {
    if try holds(owner) {
      try links.add(owner, row)
      return true
    }
    if isNewest {
      if greatest.isEmpty { othersWait = true } else { note(row, of: owner) }
      return false
    }
    if try isBehind(row, in: owner) {
      note(row, of: owner)
      return false
    }
    try write(owner, rows(of: owner).filter { $0 != row })
    try links.add(owner, row)
    return true
  }

  /// Removes a row from the owner's list after the row stopped referring to it. Returns whether an
  /// entry was removed.
  func left(_ row: RowID, from owner: RowID) throws(StoreError) -> Bool {
    if links.draft.root.isEmpty { return false }
    guard let link = try links.find(owner, row) else {
      if try holds(owner) { throw LinkDraft.damaged(links.relationship) }
      return false
    }
    asked = nil
    try links.remove(link)
    return true
  }

  /// Whether all other rows of an owner without entries have smaller numbers.
  private func isBehind(_ row: RowID, in owner: RowID) throws(StoreError) -> Bool {
    // Waiting removals can make the remembered greatest number too great. The search after `settle`
    // corrects this.
    if let known = greatest[owner] {
      if known < row { return true }
    } else if !othersWait, try isBehindStored(row, in: owner) {
      return true
    }
    try index.settle()
    (greatest, othersWait) = ([:], false)
    return try isBehindStored(row, in: owner)
  }

  private func isBehindStored(_ row: RowID, in owner: RowID) throws(StoreError) -> Bool {
    guard let last = try last(of: owner, besides: row) else { return true }
    return last < row
  }

  private func note(_ row: RowID, of owner: RowID) {
    if greatest.count >= Self.mostOwners {
      greatest = [:]
      othersWait = true
    } else {
      greatest[owner] = row
    }
  }

  /// The last row of an owner in the index, without waiting changes.
  private func last(of owner: RowID, besides row: RowID) throws(StoreError) -> RowID? {
    Members.range(owner, isOptional: isOptional, &key)
    let prefix = key.count
    // Greater than the key of every row number.
    for _ in 0..<9 { key.append(255 as UInt8) }
    var cursor = ByteCursor(index.draft.tree)
    var isThere = try cursor.seek(atMost: ByteKey(key.bytes))
    key.cut(to: prefix)
    while isThere, let (found, value) = cursor.entry(), found.begins(with: key.bytes) {
      guard let entry = IndexEntry.row(found.bytes, value.bytes) else { throw IndexWriter.damaged(index.index) }
      if entry.row != row { return entry.row }
      isThere = try cursor.previous()
    }
    return nil
  }

  // MARK: Writing

  /// The rows that refer to an owner, sorted by their numbers.
  private func rows(of owner: RowID) throws(StoreError) -> [RowID] {
    Members.range(owner, isOptional: isOptional, &key)
    var cursor = ByteCursor(try index.tree())
    var isThere = try cursor.seek(ByteKey(key.bytes))
    var rows: [RowID] = []
    while isThere, let (found, value) = cursor.entry(), found.begins(with: key.bytes) {
      guard let entry = IndexEntry.row(found.bytes, value.bytes) else { throw IndexWriter.damaged(index.index) }
      rows.append(entry.row)
      isThere = try cursor.next()
    }
    return rows
  }

  /// Writes entries for an owner's list if it has none yet.
  func write(_ owner: RowID) throws(StoreError) {
    if try !holds(owner) { try write(owner, rows(of: owner)) }
  }

  /// Writes entries for a list of an owner without any.
  private func write(_ owner: RowID, _ rows: [RowID]) throws(StoreError) {
    asked = nil
    var label = Labels.first
    let step = Labels.step(rows.count)
    for (place, row) in rows.enumerated() {
      try links.put(Link(owner: owner, target: row, forward: label))
      label += step
      // A long list makes many drafts, whose number is bounded.
      if place & 63 == 63 { try links.draft.transaction.relieve() }
    }
  }

  /// Gives a whole list another order. `wanted` must be the rows that refer to the owner.
  func arrange(_ owner: RowID, _ wanted: [RowID]) throws(StoreError) {
    let rows = try rows(of: owner)
    guard wanted.sorted() == rows else { throw LinkDraft.damaged(links.relationship) }
    // Rows that were added to a list with entries were not compared. Now nothing waits.
    (greatest, othersWait) = ([:], false)
    if try holds(owner) {
      asked = nil
      for row in rows {
        guard let link = try links.find(owner, row) else { throw LinkDraft.damaged(links.relationship) }
        try links.remove(link)
      }
    }
    if wanted != rows { try write(owner, wanted) }
  }
}
