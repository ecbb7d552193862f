internal import SwiftSyntax

// The compiler parses what a macro gives it, so to build it as a tree here only takes time: half of all that a model costs.

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
