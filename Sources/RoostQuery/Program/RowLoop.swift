internal import RoostFile
internal import RoostRecords

/// A loop in a program over the rows of a relationship.
///
/// It keeps the cursor from row to row and closes it when the plan ends.
final class RowLoop {
  let members: Members
  @exclusivity(unchecked) private var walk: UnsafeMutablePointer<MemberWalk>?
  /// The mark of the program's memory when the loop began.
  @exclusivity(unchecked) var mark = 0
  /// Counts the rows of all owners. Unchecked, because one query has the loop for itself and
  /// `step()` calls no code of users.
  @exclusivity(unchecked) var counter = InterruptCounter()

  init(_ members: Members) { self.members = members }

  deinit { rest() }

  /// Moves before the first row of `owner`.
  func begin(_ owner: RowID) throws(StoreError) {
    if walk == nil {
      let opened = UnsafeMutablePointer<MemberWalk>.allocate(capacity: 1)
      do throws(StoreError) { opened.initialize(to: try MemberWalk(members)) } catch {
        opened.deallocate()
        throw error
      }
      walk = opened
    }
    try walk!.pointee.begin(owner)
  }

  /// The next row; nil after the last row, or if the loop was not begun.
  func next() throws(StoreError) -> RowID? { try walk?.pointee.next() }

  func rest() {
    guard let walk else { return }
    walk.deinitialize(count: 1)
    walk.deallocate()
    self.walk = nil
  }
}

/// The rows that passed a filter, in memory that is reused for the next row.
final class RowList {
  @exclusivity(unchecked) var rows: [RowID] = []
  /// The place of the row that a loop reads next.
  @exclusivity(unchecked) var place = 0
  @exclusivity(unchecked) var mark = 0

  func clear() { rows.removeAll(keepingCapacity: true) }

  func next() -> RowID? {
    guard place < rows.count else { return nil }
    defer { place += 1 }
    return rows[place]
  }
}
