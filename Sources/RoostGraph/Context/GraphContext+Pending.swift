package import RoostRecords

/// What waits for the next save, for whoever shows it to users.
extension GraphContext {
  /// Lets all lists that users changed agree with their other sides.
  package func processPendingChanges() { quietly(.reading, otherwise: ()) { links.settle() } }

  /// Rows that go with the next save although no object of theirs is here.
  package var deletedRows: [(map: EntityMap, row: RowID)] {
    links.deletions.doomed.map { (objects.map(of: $0), RowID($0.row)) }
  }

  /// Whether an object of the entity, or a row of it, waits for the next save.
  package func hasPending(_ map: EntityMap) -> Bool {
    changes.hasPending(map) || links.deletions.doomed.contains { $0.map == map.home }
  }

  /// Forgets all objects that nobody changed, so that they are read anew; changes are given up first.
  package func reset() {
    quietly(.closing, otherwise: ()) {
      links.giveUp()
      objects.forgetUnchanged()
      objects.forgetBatches()
      objects.attempt { if session.reader != nil { try follower.advance() } }
    }
  }
}
