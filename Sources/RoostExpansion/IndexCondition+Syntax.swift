internal import SwiftOperators
internal import SwiftSyntax
internal import SwiftSyntaxMacros

/// The closure of `where:` in `#Index` and `#Unique`.
extension MacroExpansionDeclSyntax {
  /// The closure of the condition: the argument `where:`, or a trailing closure.
  var condition: ClosureExprSyntax? {
    let argument = arguments.first { $0.label?.text == "where" }?.expression.as(ClosureExprSyntax.self)
    return argument ?? trailingClosure
  }

  /// A `#Predicate` in the place of the closure, where no macro can be.
  var conditionMacro: MacroExpansionExprSyntax? {
    arguments.first { $0.label?.text == "where" }?.expression.as(MacroExpansionExprSyntax.self)
  }

  /// The arguments as in the source, with a predicate in the place of the closure.
  func argumentsWithPredicate(_ model: String) -> String {
    if conditionMacro != nil { return arguments.filter { $0.label == nil }.trimmedDescription }
    guard let condition else { return arguments.trimmedDescription }
    let lists = arguments.filter { $0.label?.text != "where" }.map { $0.expression.trimmedDescription }
    // The check of the model reports what cannot be part of a predicate.
    let text = condition.predicateText { _ in }
    return (lists + ["where: Foundation.Predicate<\(model)>(\(text))"]).joined(separator: ", ")
  }

  /// Whether it lists index parts and no key paths.
  var isFormed: Bool {
    arguments.contains { argument in
      guard let list = argument.expression.as(ArrayExprSyntax.self), let first = list.elements.first else {
        return false
      }
      return !first.expression.is(KeyPathExprSyntax.self)
    }
  }

  /// The first key path of lists that also have parts such as `.descending(\.due)`, and the lists
  /// with parts alone.
  var mixedLists: (first: ExprSyntax, lists: String)? {
    let lists = arguments.compactMap { $0.expression.as(ArrayExprSyntax.self)?.elements.map(\.expression) }
    let all = lists.flatMap { $0 }
    guard let first = all.first(where: { $0.is(KeyPathExprSyntax.self) }),
      all.contains(where: { $0.is(FunctionCallExprSyntax.self) })
    else { return nil }
    let texts = lists.map { list in
      list.map { $0.is(KeyPathExprSyntax.self) ? ".ascending(\($0.trimmedDescription))" : $0.trimmedDescription }
    }
    return (first, texts.map { "[\($0.joined(separator: ", "))]" }.joined(separator: ", "))
  }
}

extension ClosureExprSyntax {
  /// Writes the closure as calls of Foundation's builders. The compiler passes the members of a
  /// model to the macro without the precedence of their operators.
  func predicateText(_ complain: @escaping (String) -> Void) -> String {
    let folded = OperatorTable.standardOperators.foldAll(self) { _ in }.as(ClosureExprSyntax.self) ?? self
    var writer = PredicateWriter(PredicateNames(), { _, message in complain(message) })
    return writer.closure(folded, isOutermost: true)
  }
}
