internal import RoostGraph

/// One thing that keeps a save from being done.
public struct SaveFault: Sendable, CustomStringConvertible {
  public let code: RoostError.Code
  /// The model that is at fault.
  public let model: PersistentIdentifier?
  public let property: String?
  /// The other models that it is about.
  public let others: [PersistentIdentifier]
  /// What is wrong, and what to do.
  public let detail: String

  public var description: String {
    var place = model.map { "\($0.entityName) \($0.number)" } ?? ""
    if let property { place += ".\(property)" }
    return place.isEmpty ? detail : "\(place): \(detail)"
  }

  /// Whether it is about what models hold, and not about what others did.
  var isOfModels: Bool {
    switch code {
    case .notUnique, .denied, .badValue, .count: true
    default: false
    }
  }
}

extension StoreSet {
  /// What users are told of a save that was refused.
  func error(_ refusal: SaveRefusal) -> RoostError {
    let faults = refusal.faults.map { fault in
      SaveFault(
        code: Doorway.code(fault.code), model: fault.entity.flatMap { identifier($0, fault.row) },
        property: fault.property, others: fault.others.compactMap { identifier($0.entity, $0.row) },
        detail: fault.detail)
    }
    return RoostError(
      faults.first?.code ?? .conflict, faults.map(\.description).joined(separator: "; "), refusal, faults: faults)
  }

  private func identifier(_ entity: String, _ row: UInt64?) -> PersistentIdentifier? {
    guard let row, row != 0, let place = place(named: entity) else { return nil }
    return PersistentIdentifier(store: stores[place.store].identifier, entity: entity, .row(row))
  }
}

extension PersistentIdentifier {
  /// For a sentence.
  fileprivate var number: String {
    switch key {
    case .row(let row): "\(row)"
    case .temporary(let number): "(new \(number))"
    case .text(let text): text
    }
  }
}
