/// What is done wrong with objects where nothing can be thrown.
extension GraphContext {
  /// Notes something that had no effect. The next save says it, and the one after that goes on without it.
  func complain(_ fault: GraphFault) {
    if complaints.count < 100, !complaints.contains(fault) { complaints.append(fault) }
  }

  /// Notes why another object could not be taken; where it is the store's fault, the owner is invalid.
  func complain(_ error: any Error, _ owner: any _ModelObject) {
    if let fault = error as? GraphFault { complain(fault) } else { fail(owner, error) }
  }

  /// Says what was noted.
  func complain() throws(SaveRefusal) {
    if complaints.isEmpty { return }
    let faults = complaints
    complaints = []
    throw SaveRefusal(faults: faults)
  }
}
