internal import RoostRecords

/// Restrictions of a working set.
extension GraphStore {
  /// Throws if this is a working set. Only saves may change its rows, so that the backing store
  /// gets the changes.
  func refuseWorkingSet(_ what: String) throws {
    guard backing != nil else { return }
    throw GraphFault(
      .badValue, "\(what) does not work with a store of the program's own: change the models, and save")
  }
}
