internal import SwiftSyntax

/// Finds rules of `@Validate` that do not fit the type of their property, if both are written with
/// well-known names.
///
/// The container checks the others when it is made.
struct RuleSyntaxCheck {
  private let property: Property

  init(_ property: Property) { self.property = property }

  /// - Parameter complain: called with each wrong node, and a sentence.
  func run(_ complain: (ExprSyntax, String) -> Void) {
    guard let type = plainType else { return }
    for validation in property.validations {
      guard let arguments = validation.arguments?.as(LabeledExprListSyntax.self) else { continue }
      for argument in arguments where argument.label == nil {
        guard let (rule, use) = Self.rule(argument.expression), !use.types.contains(Self.kind(type)) else { continue }
        complain(
          argument.expression,
          "'.\(rule)' is a rule for \(use.words), and '\(property.name)' is of type '\(type)': remove the rule, or change the type"
        )
      }
    }
  }

  /// The type of the property without `?`, if the language or Foundation declares it.
  private var plainType: String? {
    guard case .value(let text, let isOptional) = property.slot else { return nil }
    return isOptional ? String(text.dropLast()) : text
  }

  private enum Kind { case number, date, text, data, list, other }

  private static func kind(_ type: String) -> Kind {
    switch type {
    case "String", "URL": .text
    case "Date": .date
    case "Data": .data
    case "Bool", "UUID": .other
    default: type.hasPrefix("[") ? .list : .number
    }
  }

  /// Returns the name of a rule, and the types that it applies to; nil if it applies to all types.
  private static func rule(_ expression: ExprSyntax) -> (name: String, use: (types: [Kind], words: String))? {
    let member =
      expression.as(FunctionCallExprSyntax.self)?.calledExpression.as(MemberAccessExprSyntax.self)
      ?? expression.as(MemberAccessExprSyntax.self)
    guard let member, member.base == nil else { return nil }
    let name = member.declName.baseName.text
    switch name {
    case "range": return (name, ([.number, .date], "numbers and dates"))
    case "length": return (name, ([.text, .data, .list], "texts, data and lists"))
    case "pattern", "notEmpty": return (name, ([.text], "texts"))
    default: return nil
    }
  }
}
