internal import RoostRecords

/// What a working set does otherwise than a store of its own.
extension GraphStore {
  /// Throws if this is a working set: its rows change through saves alone, so that the backing store hears of it.
  func refuseWorkingSet(_ what: String) throws {
    guard backing != nil else { return }
    throw GraphFault(
      .badValue, "\(what) does not work with a store of the program's own: change the models, and save")
  }
}
