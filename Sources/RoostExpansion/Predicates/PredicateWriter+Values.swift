internal import SwiftSyntax

extension PredicateWriter {
  /// Writes an expression as calls of the builders.
  mutating func value(_ expression: ExprSyntax) -> String {
    if let name = scope.name(of: expression) { return name }
    if let tuple = expression.as(TupleExprSyntax.self), tuple.elements.count == 1, let only = tuple.elements.first {
      return value(only.expression)
    }
    if let range = expression.as(InfixOperatorExprSyntax.self), let text = self.range(range) { return text }
    if let forced = expression.as(ForceUnwrapExprSyntax.self), isPath(forced.expression) {
      return build("ForcedUnwrap", value(forced.expression))
    }
    if !scope.isUsed(in: expression) { return constant(expression) }
    if let chain = deepestChain(expression) { return chained(expression, chain) }
    switch expression.kind {
    case .declReferenceExpr:
      let name = expression.cast(DeclReferenceExprSyntax.self).baseName.text
      return scope[name] ?? constant(expression)
    case .memberAccessExpr: return member(expression.cast(MemberAccessExprSyntax.self))
    case .infixOperatorExpr: return infix(expression.cast(InfixOperatorExprSyntax.self))
    case .prefixOperatorExpr: return prefix(expression.cast(PrefixOperatorExprSyntax.self))
    case .ternaryExpr:
      let choice = expression.cast(TernaryExprSyntax.self)
      let test = named(value(choice.condition))
      return build("Conditional", test, value(choice.thenExpression), value(choice.elseExpression))
    case .functionCallExpr: return call(expression.cast(FunctionCallExprSyntax.self))
    case .subscriptCallExpr: return element(expression.cast(SubscriptCallExprSyntax.self))
    case .forceUnwrapExpr: return build("ForcedUnwrap", value(expression.cast(ForceUnwrapExprSyntax.self).expression))
    case .isExpr:
      let test = expression.cast(IsExprSyntax.self)
      return cast("TypeCheck", test.expression, type: test.type)
    case .asExpr:
      let cast = expression.cast(AsExprSyntax.self)
      switch cast.questionOrExclamationMark?.tokenKind {
      case .postfixQuestionMark: return self.cast("ConditionalCast", cast.expression, type: cast.type)
      case .exclamationMark: return self.cast("ForceCast", cast.expression, type: cast.type)
      default: return value(cast.expression)
      }
    case .ifExpr:
      return result(of: [CodeBlockItemSyntax(item: .expr(expression))][...], expression)
    default:
      return refuse(expression, "a predicate cannot contain this: compute it before, and compare with the result")
    }
  }

  /// Whether an expression is a name, or a property of one. Then `low!` is part of the predicate,
  /// as in `low == nil || $0.year > low!`: `low` may be nil where the predicate is made.
  private func isPath(_ expression: ExprSyntax) -> Bool {
    if let member = expression.as(MemberAccessExprSyntax.self) { return member.base.map(isPath) ?? false }
    return expression.is(DeclReferenceExprSyntax.self)
  }

  /// Writes an expression that does not depend on the model. It is computed once, by the compiler's
  /// own rules.
  private mutating func constant(_ expression: ExprSyntax) -> String {
    if expression.is(NilLiteralExprSyntax.self) { return build("NilLiteral") }
    return build("Arg", expression.trimmedDescription)
  }

  /// Writes `a...b` and `a..<b`, which are expressions of their own, even between constants.
  private mutating func range(_ expression: InfixOperatorExprSyntax) -> String? {
    let kind: String
    switch expression.operator.trimmedDescription {
    case "...": kind = "ClosedRange"
    case "..<": kind = "Range"
    default: return nil
    }
    return build(kind, "lower: " + value(expression.leftOperand), "upper: " + value(expression.rightOperand))
  }

  /// Writes `a?.b`: the part after the mark is applied to the part before it, if that is not nil.
  private mutating func chained(_ expression: ExprSyntax, _ chain: OptionalChainingExprSyntax) -> String {
    let source = value(chain.expression)
    let variable = names.next()
    let rest = closure(variable) { inner in
      inner.scope.name(chain, variable)
      return inner.value(expression)
    }
    return build("flatMap", source, rest)
  }

  private mutating func member(_ expression: MemberAccessExprSyntax) -> String {
    guard let base = expression.base else { return constant(ExprSyntax(expression)) }
    return build(
      "KeyPath", "root: " + value(base), "keyPath: \\.\(expression.declName.trimmedDescription)")
  }

  // MARK: Operators

  private mutating func infix(_ expression: InfixOperatorExprSyntax) -> String {
    let sign = expression.operator.trimmedDescription
    switch sign {
    case "&&", "||":
      // The parts of a chain of any length are written one by one.
      let parts = expression.parts(sign).map { named(value($0)) }
      var all = parts[0]
      for (number, part) in parts.enumerated().dropFirst() {
        let text = build(sign == "&&" ? "Conjunction" : "Disjunction", "lhs: " + all, "rhs: " + part)
        all = number == parts.count - 1 ? text : named(text)
      }
      return all
    case "==", "!=": return build(sign == "==" ? "Equal" : "NotEqual", operands(expression))
    case "<": return build("Comparison", operands(expression), "op: .lessThan")
    case "<=": return build("Comparison", operands(expression), "op: .lessThanOrEqual")
    case ">": return build("Comparison", operands(expression), "op: .greaterThan")
    case ">=": return build("Comparison", operands(expression), "op: .greaterThanOrEqual")
    case "+": return build("Arithmetic", operands(expression), "op: .add")
    case "-": return build("Arithmetic", operands(expression), "op: .subtract")
    case "*": return build("Arithmetic", operands(expression), "op: .multiply")
    case "/": return build("Division", operands(expression))
    case "%": return build("Remainder", operands(expression))
    case "??": return build("NilCoalesce", operands(expression))
    default:
      return refuse(
        expression.operator,
        "a predicate cannot use '\(sign)', only ==, !=, <, <=, >, >=, &&, ||, !, ??, +, -, *, /, %, ... and ..<"
      )
    }
  }

  private mutating func operands(_ expression: InfixOperatorExprSyntax) -> String {
    let left = value(expression.leftOperand)
    return "lhs: \(left), rhs: \(value(expression.rightOperand))"
  }

  private mutating func prefix(_ expression: PrefixOperatorExprSyntax) -> String {
    switch expression.operator.text {
    case "!": return build("Negation", named(value(expression.expression)))
    case "-": return build("UnaryMinus", value(expression.expression))
    default: return refuse(expression.operator, "a predicate supports only '!' and '-' before a value")
    }
  }

  private mutating func cast(_ name: String, _ expression: ExprSyntax, type: TypeSyntax) -> String {
    "\(Self.expressions).\(name)<_, \(type.trimmedDescription)>(\(value(expression)))"
  }
}

extension InfixOperatorExprSyntax {
  /// Returns the operands of a chain of one operator.
  fileprivate func parts(_ sign: String) -> [ExprSyntax] {
    var parts: [ExprSyntax] = []
    var waiting = [ExprSyntax(self)]
    while let next = waiting.popLast() {
      if let infix = next.as(InfixOperatorExprSyntax.self), infix.operator.trimmedDescription == sign {
        waiting.append(infix.rightOperand)
        waiting.append(infix.leftOperand)
      } else {
        parts.append(next)
      }
    }
    return parts
  }
}

extension PredicateWriter {
  /// Returns the first `?` in a chain of members, calls and subscripts that was not written yet.
  private func deepestChain(_ expression: ExprSyntax) -> OptionalChainingExprSyntax? {
    var found: OptionalChainingExprSyntax?
    var next: ExprSyntax? = expression
    while let expression = next {
      switch expression.kind {
      case .memberAccessExpr: next = expression.cast(MemberAccessExprSyntax.self).base
      case .functionCallExpr: next = expression.cast(FunctionCallExprSyntax.self).calledExpression
      case .subscriptCallExpr: next = expression.cast(SubscriptCallExprSyntax.self).calledExpression
      case .forceUnwrapExpr: next = expression.cast(ForceUnwrapExprSyntax.self).expression
      case .optionalChainingExpr:
        let chain = expression.cast(OptionalChainingExprSyntax.self)
        if scope.name(of: chain) != nil { return found }
        found = chain
        next = chain.expression
      default: return found
      }
    }
    return found
  }
}
