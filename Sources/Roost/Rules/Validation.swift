package import RoostGraph

/// One call of ``Validatable/validate(_:)``: the change that is checked, and the faults that are
/// reported.
public final class Validation {
  /// What a save is about to do with the model.
  public enum Change: Sendable {
    /// The model is new.
    case insert
    /// The model is stored, and was changed.
    case update
    /// The model is to be deleted, by your program or by a delete rule.
    case delete
  }

  /// What the save is about to do with the model.
  public let change: Change
  private let type: _ModelType
  package private(set) var faults: [OwnFault] = []

  package init(_ change: ObjectChange, _ type: _ModelType) {
    self.type = type
    self.change =
      switch change {
      case .insert: .insert
      case .update: .update
      case .delete: .delete
      }
  }

  /// Refuses the save. The call goes on, so that it finds all faults of the model.
  ///
  /// - Parameters:
  ///   - message: what is wrong, and what to do.
  ///   - property: the property with the fault; nil for the whole model.
  public func refuse(_ message: String, at property: AnyKeyPath? = nil) {
    note(
      OwnFault(message, property: property.map { path in type.number(of: path).map(type.propertyName) ?? "\(path)" }))
  }

  /// Notes an error that the model's own code threw.
  package func note(thrown error: any Error) { note(OwnFault("\(error)", cause: error)) }

  private func note(_ fault: OwnFault) { if faults.count < Self.mostFaults { faults.append(fault) } }

  /// Further faults of one model are not reported.
  private static var mostFaults: Int { 100 }
}
