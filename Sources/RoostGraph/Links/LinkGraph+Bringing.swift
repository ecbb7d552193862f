internal import RoostRecords

/// New objects that come into a context because they are made to reference one of its objects, as in SwiftData: `song.album = album`
/// inserts the song.
extension LinkGraph {
  /// Inserts an object that was made to reference one of this context. The next save says why that is not possible.
  func bring(_ object: any _ModelObject, to other: any _ModelObject) {
    if !bringsObjects || session.isClosed || other._$state.flags.contains(.deleted) || isEnding(object) { return }
    do { try insert(object, into: nil) } catch {
      if let fault = error as? GraphFault { changes.complain(fault) } else { objects.fail(error) }
    }
  }
}
