internal import SwiftSyntax

// The compiler parses the output of a macro again, so building a syntax tree here only takes time:
// half of the whole cost of a model.

extension DeclSyntax {
  /// Declarations as text.
  static func text(_ text: String) -> DeclSyntax { DeclSyntax(MissingDeclSyntax(placeholder: .identifier(text))) }
}

extension AccessorDeclSyntax {
  /// Accessors as text.
  static func text(_ text: String) -> AccessorDeclSyntax { AccessorDeclSyntax(accessorSpecifier: .identifier(text)) }
}

extension ExprSyntax {
  /// An expression as text.
  static func text(_ text: String) -> ExprSyntax { ExprSyntax(MissingExprSyntax(placeholder: .identifier(text))) }
}
