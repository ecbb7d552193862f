internal import RoostFile
internal import RoostRecords

/// A place in a program where the rows of a relationship are gone through, one after the other.
///
/// The cursor is kept from row to row, and given back when the plan comes to its end.
final class RowLoop {
  let members: Members
  @exclusivity(unchecked) private var walk: UnsafeMutablePointer<MemberWalk>?
  /// How much memory of the program's was in use when the loop began.
  @exclusivity(unchecked) var mark = 0
  /// Counts the rows of all owners. Unchecked, because one query has the loop for itself and `step()` calls no code of users.
  @exclusivity(unchecked) var counter = InterruptCounter()

  init(_ members: Members) { self.members = members }

  deinit { rest() }

  /// Stands before the rows to which this one leads.
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

  /// The next row; nil behind the last, and where nothing was begun.
  func next() throws(StoreError) -> RowID? { try walk?.pointee.next() }

  func rest() {
    guard let walk else { return }
    walk.deinitialize(count: 1)
    walk.deallocate()
    self.walk = nil
  }
}

/// Rows that a filter has let pass, in memory that is used again for the next row.
final class RowList {
  @exclusivity(unchecked) var rows: [RowID] = []
  /// The number of the row that a loop comes to next.
  @exclusivity(unchecked) var place = 0
  @exclusivity(unchecked) var mark = 0

  func clear() { rows.removeAll(keepingCapacity: true) }

  func next() -> RowID? {
    guard place < rows.count else { return nil }
    defer { place += 1 }
    return rows[place]
  }
}
