package import RoostRecords

/// The unsaved changes of a context, for interfaces that show them.
extension GraphContext {
  /// Updates the inverses of all lists that the program changed.
  package func processPendingChanges() { quietly(.reading, otherwise: ()) { links.settle() } }

  /// Rows that the next save deletes although they have no object here.
  package var deletedRows: [(map: EntityMap, row: RowID)] {
    links.deletions.doomed.map { (objects.map(of: $0), RowID($0.row)) }
  }

  /// Whether an object or row of the entity has unsaved changes.
  package func hasPending(_ map: EntityMap) -> Bool {
    changes.hasPending(map) || links.deletions.doomed.contains { $0.map == map.home }
  }

  /// Discards all changes and forgets all objects, so that they are read anew.
  package func reset() {
    quietly(.closing, otherwise: ()) {
      links.giveUp()
      objects.forgetUnchanged()
      objects.forgetBatches()
      objects.attempt { if session.reader != nil { try follower.advance() } }
    }
  }
}
