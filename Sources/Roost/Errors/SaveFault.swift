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

extension PersistentIdentifier {
  /// For a sentence.
  fileprivate var number: String {
    switch key {
    case .row(let row): "\(row)"
    case .temporary(let number): "(new \(number))"
    case .text, .uuid: key.text ?? ""
    }
  }
}
