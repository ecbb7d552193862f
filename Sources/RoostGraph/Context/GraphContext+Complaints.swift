/// What is done wrong with objects where nothing can be thrown.
extension GraphContext {
  /// Notes something that had no effect. The next save says it, and the one after that goes on without it.
  func complain(_ fault: GraphFault) {
    if complaints.count < 100, !complaints.contains(fault) { complaints.append(fault) }
  }

  /// Notes why another object could not be taken to which a property was to lead; where it is the store's fault, the owner is invalid.
  func complain(_ error: any Error, _ owner: any _ModelObject, _ property: Int) {
    guard let fault = error as? GraphFault, let entity = fault.entity else { return fail(owner, error) }
    let other = fault.row.map { ObjectName(entity, $0) }
    complain(
      GraphFault(
        fault.code, "it was set to \(other?.description ?? entity), but \(fault.detail)", name(owner),
        type(of: owner)._$type.propertyName(property), others: other.map { [$0] } ?? []))
  }

  /// Says what was noted.
  func complain() throws(SaveRefusal) {
    if complaints.isEmpty { return }
    let faults = complaints
    complaints = []
    throw SaveRefusal(faults: faults)
  }
}
