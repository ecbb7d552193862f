/// Rows that are marked for deletion by the next save, and why. See ``LinkLedger``, "Links and deletions".
struct DeletionMarks {
  /// Why a row is marked for deletion: rows whose rules take it along, or itself, because a program deleted it. Nearly all have one reason.
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

  /// Rows that go with the next save although no object of theirs is here.
  private(set) var doomed: Set<LinkKey> = []
  /// Rows that came back since the last save, and were not deleted again: no rule takes them along.
  private(set) var staying: Set<LinkKey> = []
  /// By the row that is to go, those which its rules take along.
  private var taken: [LinkKey: [LinkKey]] = [:]
  /// By the row that is to go, why. It comes back with the last of its reasons.
  private var reasons: [LinkKey: Reasons] = [:]
  /// Objects that were deleted before they had a row.
  private var unborn: Set<LinkKey> = []
  /// By row, the lists that have it among their absent members. A list may have been unloaded since, or be named twice.
  private var absences: [LinkKey: [LinkKey]] = [:]

  // MARK: Deleting

  /// Marks a row for deletion.
  ///
  /// - Parameter owner: the row whose rules take it along; nil where a program deletes it.
  mutating func mark(_ row: LinkKey, with owner: LinkKey?, hasObject: Bool) {
    if !hasObject { doomed.insert(row) }
    staying.remove(row)
    reasons[row, default: Reasons()].add(owner ?? row)
    if let owner { taken[owner, default: []].append(row) }
  }

  /// Notes that an object was deleted before it had a row.
  mutating func noteUnborn(_ object: LinkKey) { unborn.insert(object) }

  // MARK: Taking back

  /// Takes back why a row is marked: a program inserts it again.
  mutating func forgetReasons(_ row: LinkKey) { reasons[row] = nil }

  /// Notes that a row stays, and returns the rows that come back with it: those that nothing else takes along, and that no program deleted.
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

  /// Forgets that a row without an object goes; false where it did not.
  mutating func unmarkDoomed(_ row: LinkKey) -> Bool { doomed.remove(row) != nil }

  /// Forgets that an object was deleted before it had a row; false where it was not.
  mutating func unmarkUnborn(_ object: LinkKey) -> Bool { unborn.remove(object) != nil }

  // MARK: Asking

  var hasUnborn: Bool { !unborn.isEmpty }
  func isUnborn(_ object: LinkKey) -> Bool { unborn.contains(object) }

  // MARK: Absent members

  var hasAbsences: Bool { !absences.isEmpty }

  /// Notes that a loaded list has a row among its absent members.
  mutating func noteAbsence(_ row: LinkKey, in list: LinkKey) { absences[row, default: []].append(list) }

  /// The lists that have a row among their absent members. They are forgotten.
  mutating func takeAbsences(_ row: LinkKey) -> [LinkKey] { absences.removeValue(forKey: row) ?? [] }
}
