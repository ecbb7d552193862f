internal import RoostRecords

/// Restrictions of a working set.
extension GraphStore {
  /// Throws if this is a working set. It has only those rows that were fetched, and only saves may
  /// change them, so that the backing store gets the changes.
  ///
  /// - Parameters:
  ///   - what: the call, as a noun.
  ///   - instead: what the program can do, as a clause.
  package func refuseWorkingSet(_ what: String, instead: String = "change the models, and save") throws {
    guard let backing else { return }
    let place = backing.isContext ? "a child context" : "a store of the program's own"
    throw GraphFault(.badValue, "\(what) does not work in \(place): \(instead)")
  }
}
