/// Rows that are marked for deletion by the next save, and the reasons. See ``LinkLedger``, "Links
/// and deletions".
struct DeletionMarks {
  /// The reasons for a deletion: rows whose delete rules include the row, or the row itself,
  /// because the program deleted it. Nearly all rows have one reason.
  struct Reasons {
    private var first: LinkKey?
    private var others: [LinkKey] = []

    var isEmpty: Bool { first == nil }

    func contains(_ reason: LinkKey) -> Bool { first == reason || others.contains(reason) }

    mutating func add(_ reason: LinkKey) {
      if contains(reason) { return }
      if first == nil { first = reason } else { others.append(reason) }
    }

    mutating func remove(_ reason: LinkKey) {
      if first == reason { first = others.popLast() } else { others.removeAll { $0 == reason } }
    }
  }

  /// Rows that the next save deletes although they have no object here.
  private(set) var doomed: Set<LinkKey> = []
  /// Rows that were restored since the last save and not deleted again: no delete rule includes
  /// them.
  private(set) var staying: Set<LinkKey> = []
  /// By row to be deleted, the rows that its delete rules include.
  private var taken: [LinkKey: [LinkKey]] = [:]
  /// By row to be deleted, the reasons. Without a reason it is not deleted.
  private var reasons: [LinkKey: Reasons] = [:]
  /// Objects that were deleted before they had a row.
  private var unborn: Set<LinkKey> = []
  /// By row, the lists that have it among their absent members. A list may have been unloaded
  /// since, or be listed twice.
  private var absences: [LinkKey: [LinkKey]] = [:]

  // MARK: Deleting

  /// Marks a row for deletion.
  ///
  /// - Parameters:
  ///   - row: the row.
  ///   - owner: the row whose delete rules include it; nil if the program deletes it.
  ///   - hasObject: whether the row has an object here.
  mutating func mark(_ row: LinkKey, with owner: LinkKey?, hasObject: Bool) {
    if !hasObject { doomed.insert(row) }
    staying.remove(row)
    reasons[row, default: Reasons()].add(owner ?? row)
    if let owner { taken[owner, default: []].append(row) }
  }

  /// Records that an object was deleted before it had a row.
  mutating func noteUnborn(_ object: LinkKey) { unborn.insert(object) }

  // MARK: Undoing

  /// Removes all reasons for deleting a row, because the program inserts it again.
  mutating func forgetReasons(_ row: LinkKey) { reasons[row] = nil }

  /// Records that a row stays, and returns the rows that are restored with it: those without
  /// another reason.
  mutating func keep(_ row: LinkKey) -> [LinkKey] {
    var back: [LinkKey] = []
    for other in taken.removeValue(forKey: row) ?? [] where reasons[other]?.contains(row) == true {
      reasons[other]?.remove(row)
      guard reasons[other]?.isEmpty == true else { continue }
      reasons[other] = nil
      back.append(other)
    }
    staying.insert(row)
    return back
  }

  /// Unmarks a row without an object; returns false if it was not marked.
  mutating func unmarkDoomed(_ row: LinkKey) -> Bool { doomed.remove(row) != nil }

  /// Unmarks an object that was deleted before it had a row; returns false if it was not marked.
  mutating func unmarkUnborn(_ object: LinkKey) -> Bool { unborn.remove(object) != nil }

  // MARK: Queries

  var hasUnborn: Bool { !unborn.isEmpty }
  func isUnborn(_ object: LinkKey) -> Bool { unborn.contains(object) }

  // MARK: Absent members

  var hasAbsences: Bool { !absences.isEmpty }

  /// Records that a loaded list has a row among its absent members.
  mutating func noteAbsence(_ row: LinkKey, in list: LinkKey) { absences[row, default: []].append(list) }

  /// Removes and returns the lists that have a row among their absent members.
  mutating func takeAbsences(_ row: LinkKey) -> [LinkKey] { absences.removeValue(forKey: row) ?? [] }
}
