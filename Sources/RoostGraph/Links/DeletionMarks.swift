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
  var doomed: Set<LinkKey> = []
  /// By the row that is to go, those which its rules take along.
  var taken: [LinkKey: [LinkKey]] = [:]
  /// By the row that is to go, why. It comes back with the last of its reasons.
  var reasons: [LinkKey: Reasons] = [:]
  /// Rows that came back since the last save, and were not deleted again: no rule takes them along.
  var staying: Set<LinkKey> = []
  /// Objects that were deleted before they had a row.
  var unborn: Set<LinkKey> = []
  /// By row, the lists that have it among their absent members. A list may have been unloaded since, or be named twice.
  var absences: [LinkKey: [LinkKey]] = [:]
}
