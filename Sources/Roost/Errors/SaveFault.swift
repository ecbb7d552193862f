internal import RoostGraph

/// One thing that keeps a save from being done.
public struct SaveFault: Sendable, CustomStringConvertible {
  /// The kind of fault, such as `notUnique`, `badValue` or `invalid`.
  public let code: RoostError.Code
  /// The model that is at fault.
  public let model: PersistentIdentifier?
  /// The property that is at fault, by its name; nil if the model as a whole is.
  public let property: String?
  /// The other models that it is about.
  public let others: [PersistentIdentifier]
  /// What is wrong, and what to do; the message of the rule, if it has one.
  public let detail: String
  /// The rule that the value breaks; nil for all faults that are not about a rule of `@Validate`.
  public let rule: ValidationRule?
  /// The value that breaks the rule, for a person; of a long text the beginning.
  public let value: String?
  /// What ``Validatable/validate(_:)`` threw.
  public let underlyingError: (any Error)?
  /// The class, for a model that has no identifier yet.
  private let entity: String?

  /// - Parameters:
  ///   - model: the model, as the caller names it.
  ///   - others: the other models.
  init(
    _ fault: GraphFault, model: PersistentIdentifier?, others: [PersistentIdentifier] = []
  ) {
    (code, self.model, property) = (Doorway.code(fault.code), model, fault.property)
    (self.others, detail) = (others, fault.detail)
    rule = fault.breach?.rule.map { ValidationRule($0) }
    entity = fault.entity
    (value, underlyingError) = (fault.breach?.value, fault.breach?.cause)
  }

  public var description: String {
    var place = model.map { "\($0.entityName) \($0.number)" } ?? entity ?? ""
    if let property { place += ".\(property)" }
    return place.isEmpty ? detail : "\(place): \(detail)"
  }

  /// Whether it is about what models hold, and not about what others did.
  var isOfModels: Bool {
    switch code {
    case .notUnique, .denied, .badValue, .count, .invalid: true
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
