internal import RoostRecords

/// Restrictions of a working set.
extension GraphStore {
  /// Throws if this is a working set. Only saves may change its rows, so that the backing store
  /// gets the changes.
  func refuseWorkingSet(_ what: String) throws {
    guard let backing else { return }
    let place = backing.isContext ? "a child context" : "a store of the program's own"
    throw GraphFault(
      .badValue, "\(what) does not work in \(place): change the models, and save")
  }
}
