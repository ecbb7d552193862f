internal import SwiftSyntax
internal import SwiftSyntaxMacros

/// `#Predicate` and `#Expression` of models.
///
/// They return Foundation's own types, made by Foundation's own builders. Foundation's macro writes
/// one expression, and the compiler considers all of its overloads together. This one writes a
/// `let` for each operand, so that the compiler considers one after the other.
struct PredicateMacro: ExpressionMacro {
  static var formatMode: FormatMode { .disabled }

  static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) throws -> ExprSyntax {
    let kind = node.macroName.text
    guard let closure = node.trailingClosure ?? node.arguments.first?.expression.as(ClosureExprSyntax.self) else {
      throw PredicateFault(
        description: "'#\(kind)' needs a closure, written right here: '#\(kind)<Model> { $0.name == name }'")
    }
    let names = PredicateNames()
    var isRefused = false
    var writer = PredicateWriter(names) { node, message in
      isRefused = true
      context.complain(node, message)
    }
    let text = writer.closure(closure, isOutermost: true)
    // A part that is refused is written as true. As a value of another type it would be a second error of the compiler.
    if isRefused, kind == "Expression" { return .text("{ preconditionFailure() }()") }
    let types = node.genericArgumentClause?.trimmedDescription ?? closure.typesOfParameters(kind)
    return .text("Foundation.\(kind)\(types)(\(text))")
  }
}

private struct PredicateFault: Error, CustomStringConvertible {
  let description: String
}

extension ClosureExprSyntax {
  /// The explicit types of the closure: `<Model>`; empty if the compiler infers them.
  fileprivate func typesOfParameters(_ kind: String) -> String {
    guard kind == "Predicate", case .parameterClause(let clause) = signature?.parameterClause else { return "" }
    let types = clause.parameters.compactMap { $0.type?.trimmedDescription }
    guard !types.isEmpty, types.count == clause.parameters.count else { return "" }
    return "<\(types.joined(separator: ", "))>"
  }
}
