internal import SwiftSyntax

/// The names that belong to the predicate's input, not to values of the program around it.
struct PredicateScope {
  /// For each name in the source, the name in the output.
  private var names: [String: String] = [:]
  /// Parts of the source that have a name in the output already: the operands of `?`.
  private var parts: [SyntaxIdentifier: String] = [:]

  subscript(name: String) -> String? {
    get { names[name] }
    set { names[name] = newValue }
  }

  func name(of part: some SyntaxProtocol) -> String? { parts[part.id] }
  mutating func name(_ part: some SyntaxProtocol, _ name: String) { parts[part.id] = name }

  /// Removes `$0` and the other numbered names, which have another meaning in a closure.
  mutating func forgetNumbered() { names = names.filter { !$0.key.hasPrefix("$") } }

  /// Whether an expression uses any of the names. If not, it is computed where the predicate is
  /// made.
  func isUsed(in expression: some SyntaxProtocol) -> Bool {
    let search = Search(self)
    search.walk(expression)
    return search.isFound
  }

  private final class Search: SyntaxVisitor {
    private var scopes: [PredicateScope]
    var isFound = false

    init(_ scope: PredicateScope) {
      scopes = [scope]
      super.init(viewMode: .sourceAccurate)
    }

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
      if scopes[scopes.count - 1][node.baseName.text] != nil { isFound = true }
      return .visitChildren
    }

    override func visit(_ node: OptionalChainingExprSyntax) -> SyntaxVisitorContinueKind {
      if scopes[scopes.count - 1].name(of: node) != nil { isFound = true }
      return .visitChildren
    }

    /// A name after a dot is not a name of the closure.
    override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
      if let base = node.base { walk(base) }
      return .skipChildren
    }

    override func visit(_ node: KeyPathExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: LabeledExprSyntax) -> SyntaxVisitorContinueKind {
      walk(node.expression)
      return .skipChildren
    }

    override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind {
      var inner = scopes[scopes.count - 1]
      inner.forgetNumbered()
      scopes.append(inner)
      return .visitChildren
    }

    override func visitPost(_ node: ClosureExprSyntax) { scopes.removeLast() }
  }
}
