internal import RoostGraph

/// One reason why a save was refused.
public struct SaveFault: Sendable, CustomStringConvertible {
  /// The kind of fault, such as `notUnique`, `badValue` or `invalid`.
  public let code: RoostError.Code
  /// The model with the fault.
  public let model: PersistentIdentifier?
  /// The name of the property with the fault; nil if the fault concerns the whole model.
  public let property: String?
  /// The other models that are involved.
  public let others: [PersistentIdentifier]
  /// What is wrong, and what to do; the message of the rule, if it has one.
  public let detail: String
  /// The rule that the value breaks; nil for faults that are not about a rule of `@Validate`.
  public let rule: ValidationRule?
  /// The value that breaks the rule, as a text for a person. Long texts are cut.
  public let value: String?
  /// The error that ``Validatable/validate(_:)`` threw.
  public let underlyingError: (any Error)?
  /// The class, for a model that has no identifier yet.
  private let entity: String?

  /// - Parameters:
  ///   - model: the model, by the identifier that the caller knows.
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

  /// Whether values of models caused the fault, not commits of other contexts.
  var isOfModels: Bool {
    switch code {
    case .notUnique, .denied, .badValue, .count, .invalid: true
    default: false
    }
  }
}

extension PersistentIdentifier {
  /// The number of faults, for a sentence.
  fileprivate var number: String {
    switch key {
    case .row(let row): "\(row)"
    case .temporary(let number): "(new \(number))"
    case .text, .uuid: key.text ?? ""
    }
  }
}
