internal import SwiftSyntax

/// The names that stand for what a predicate is asked of, and not for values of the program around it.
struct PredicateScope {
  /// By the name in the source, that in what is written.
  private var names: [String: String] = [:]
  /// Parts of the source that have a name by now: what stands before a `?`.
  private var parts: [SyntaxIdentifier: String] = [:]

  subscript(name: String) -> String? {
    get { names[name] }
    set { names[name] = newValue }
  }

  func name(of part: some SyntaxProtocol) -> String? { parts[part.id] }
  mutating func name(_ part: some SyntaxProtocol, _ name: String) { parts[part.id] = name }

  /// Forgets `$0` and its like, which mean something else in a closure.
  mutating func forgetNumbered() { names = names.filter { !$0.key.hasPrefix("$") } }

  /// Whether an expression asks for any of the names. If not, it is computed where the predicate is made.
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

    /// What stands behind a dot is no name of the closure's.
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
