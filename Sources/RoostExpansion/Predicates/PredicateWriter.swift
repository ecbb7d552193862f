internal import SwiftSyntax

/// Writes a closure of a predicate as calls of Foundation's builders.
struct PredicateWriter {
  let names: PredicateNames
  let complain: (any SyntaxProtocol, String) -> Void
  var scope = PredicateScope()
  /// The statements before the value, in the closure that is being written.
  var statements: [String] = []

  init(_ names: PredicateNames, _ complain: @escaping (any SyntaxProtocol, String) -> Void) {
    self.names = names
    self.complain = complain
  }

  static let expressions = "PredicateExpressions"

  func build(_ name: String, _ arguments: String...) -> String {
    "\(Self.expressions).build_\(name)(\(arguments.joined(separator: ", ")))"
  }

  mutating func refuse(_ node: some SyntaxProtocol, _ message: String) -> String {
    complain(node, message)
    return build("Arg", "true")
  }

  // MARK: Closures

  /// Writes a closure of the source as one with the builders' variables.
  mutating func closure(_ closure: ClosureExprSyntax, isOutermost: Bool = false) -> String {
    var inner = PredicateWriter(names, complain)
    inner.scope = scope
    inner.scope.forgetNumbered()
    var parameters: [String] = []
    for name in closure.parameterNames {
      let written = names.next()
      if name == "_" {
        parameters.append("_")
      } else {
        parameters.append(written)
        inner.scope[name] = written
      }
    }
    return inner.body(Array(closure.statements), parameters, node: closure)
  }

  /// Writes a closure around one expression with a variable.
  mutating func closure(_ variable: String, _ write: (inout PredicateWriter) -> String) -> String {
    var inner = PredicateWriter(names, complain)
    inner.scope = scope
    let value = write(&inner)
    return inner.closed([variable], value)
  }

  private mutating func body(
    _ items: [CodeBlockItemSyntax], _ parameters: [String], node: some SyntaxProtocol
  ) -> String {
    let value = result(of: items[...], node)
    return closed(parameters, value)
  }

  private func closed(_ parameters: [String], _ value: String) -> String {
    let head = parameters.isEmpty ? "" : parameters.joined(separator: ", ") + " in"
    if statements.isEmpty { return "{ \(head) \(value) }" }
    return "{ \(head)\n\(statements.joined(separator: "\n"))\nreturn \(value)\n}"
  }

  /// Gives an expression a name, so that the compiler checks it separately.
  mutating func named(_ text: String) -> String {
    let name = names.next()
    statements.append("let \(name) = \(text)")
    return name
  }

  /// Writes statements in a scope of their own. Names in them are not visible outside.
  private func branch(_ scope: PredicateScope, _ write: (inout PredicateWriter) -> String) -> String {
    var inner = PredicateWriter(names, complain)
    inner.scope = scope
    let value = write(&inner)
    return inner.statements.isEmpty ? value : "(\(inner.closed([], value)))()"
  }

  // MARK: Statements

  /// Writes the value of statements.
  mutating func result(of items: ArraySlice<CodeBlockItemSyntax>, _ node: some SyntaxProtocol) -> String {
    guard let first = items.first else {
      return refuse(node, "a predicate needs a value: write an expression that is true or false")
    }
    let rest = items.dropFirst()
    switch first.item {
    case .expr(let expression):
      if let expression = expression.as(IfExprSyntax.self) { return choice(expression, rest, node: node) }
      if rest.isEmpty { return value(expression) }
      return refuse(expression, "this value is not used: a predicate has one value, after its 'let' statements")
    case .stmt(let statement):
      if let statement = statement.as(ReturnStmtSyntax.self), let expression = statement.expression {
        return value(expression)
      }
      if let statement = statement.as(ExpressionStmtSyntax.self) {
        if let expression = statement.expression.as(IfExprSyntax.self) { return choice(expression, rest, node: node) }
        if rest.isEmpty { return value(statement.expression) }
      }
      if let statement = statement.as(GuardStmtSyntax.self) {
        return conditional(Array(statement.conditions)[...], scope, then: { $0.result(of: rest, node) }) {
          $0.result(of: Array(statement.body.statements)[...], statement)
        }
      }
      return refuse(statement, "a predicate cannot contain this statement: write 'let', 'if', 'guard' or a value")
    case .decl(let declaration): return bind(declaration, rest, node: node)
    @unknown default: return refuse(first, "a predicate cannot contain this")
    }
  }

  private mutating func bind(
    _ declaration: DeclSyntax, _ rest: ArraySlice<CodeBlockItemSyntax>, node: some SyntaxProtocol
  ) -> String {
    guard let variable = declaration.as(VariableDeclSyntax.self),
      variable.bindingSpecifier.tokenKind == .keyword(.let), variable.bindings.count == 1,
      let binding = variable.bindings.first, let initial = binding.initializer?.value,
      let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
    else {
      return refuse(declaration, "a predicate cannot contain this declaration: write 'let name = value'")
    }
    if scope.isUsed(in: initial) {
      let text = value(initial)
      scope[name] = named(text)
    } else {
      statements.append(declaration.trimmedDescription)
      scope[name] = nil
    }
    return result(of: rest, node)
  }

  private mutating func choice(
    _ expression: IfExprSyntax, _ rest: ArraySlice<CodeBlockItemSyntax>, node: some SyntaxProtocol
  ) -> String {
    conditional(
      Array(expression.conditions)[...], scope,
      then: { $0.result(of: Array(expression.body.statements)[...], expression) },
      otherwise: { writer in
        switch expression.elseBody {
        case .codeBlock(let block): return writer.result(of: Array(block.statements)[...], block)
        case .ifExpr(let other): return writer.choice(other, rest, node: node)
        default: return writer.result(of: rest, node)
        }
      })
  }

  /// Writes `if` and `guard`, with any number of conditions.
  ///
  /// - Parameter outer: the names before the first condition, which `otherwise` can use.
  private mutating func conditional(
    _ conditions: ArraySlice<ConditionElementSyntax>, _ outer: PredicateScope,
    then: (inout PredicateWriter) -> String, otherwise: (inout PredicateWriter) -> String
  ) -> String {
    guard let first = conditions.first else { return branch(scope, then) }
    var rest = conditions.dropFirst()
    switch first.condition {
    case .expression(let condition):
      var test = named(value(condition))
      // All conditions without a binding are one test, so that the other branch is written once.
      while case .expression(let next)? = rest.first?.condition {
        let other = named(value(next))
        test = named(build("Conjunction", "lhs: " + test, "rhs: " + other))
        rest = rest.dropFirst()
      }
      let (yes, no) = (conditional(rest, outer, then: then, otherwise: otherwise), branch(outer, otherwise))
      return build("Conditional", test, yes, no)
    case .optionalBinding(let binding):
      guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text,
        binding.bindingSpecifier.tokenKind == .keyword(.let)
      else { return refuse(binding, "a predicate binds one name: write 'if let name = value'") }
      let source: String
      if let initial = binding.initializer?.value {
        source = value(initial)
      } else {
        source = scope[name] ?? build("Arg", name)
      }
      let no = branch(outer, otherwise)
      let variable = names.next()
      let yes = closure(variable) { inner in
        inner.scope[name] = variable
        return inner.conditional(rest, outer, then: then, otherwise: otherwise)
      }
      return build("NilCoalesce", "lhs: " + build("flatMap", source, yes), "rhs: " + no)
    default:
      return refuse(first, "a predicate cannot contain this condition: compare with '==', or bind with 'let'")
    }
  }
}

extension ClosureExprSyntax {
  /// The names of the parameters, or numbered names if there are none.
  fileprivate var parameterNames: [String] {
    switch signature?.parameterClause {
    case .simpleInput(let list): return list.map(\.name.text)
    case .parameterClause(let clause): return clause.parameters.map { ($0.secondName ?? $0.firstName).text }
    default:
      let search = NumberSearch(viewMode: .sourceAccurate)
      search.walk(statements)
      return (0..<max(search.count, 1)).map { "$\($0)" }
    }
  }
}

/// Finds the number of parameters of a closure that names none.
private final class NumberSearch: SyntaxVisitor {
  var count = 0

  override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
    if case .dollarIdentifier(let text) = node.baseName.tokenKind, let number = Int(text.dropFirst()) {
      count = max(count, number + 1)
    }
    return .visitChildren
  }

  override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
}
