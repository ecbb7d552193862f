internal import Foundation

extension PredicateExpressions.Conjunction {
  func wording(_ text: PredicateText) -> Wording { text.chain(self, .and, sign: "&&", strength: .and) }
}

extension PredicateExpressions.Disjunction {
  func wording(_ text: PredicateText) -> Wording { text.chain(self, .or, sign: "||", strength: .or) }
}

extension PredicateText {
  private static let mostParts = 20

  fileprivate func chain(
    _ whole: any PredicateExpression<Bool>, _ joint: JoinedExpressions.Joint, sign: String,
    strength: Wording.Strength
  ) -> Wording {
    let parts = JoinedExpressions.parts(of: whole, joint)
    return Wording(list(parts, sign) { operand($0, strength.above) }, strength)
  }

  /// The first of many parts.
  func list<Part>(_ parts: [Part], _ sign: String, text: (Part) -> String) -> String {
    var texts = parts.prefix(Self.mostParts).map(text)
    if parts.count > Self.mostParts { texts.append("…") }
    return texts.joined(separator: " \(sign) ")
  }
}

extension PredicateExpressions.Negation {
  func wording(_ text: PredicateText) -> Wording { Wording("!" + text.operand(wrapped, .prefix), .prefix) }
}

extension PredicateExpressions.Conditional {
  func wording(_ text: PredicateText) -> Wording {
    Wording(
      "\(text.operand(test, .or)) ? \(text.operand(trueBranch, .or)) : \(text.operand(falseBranch, .or))", .choice)
  }
}

extension PredicateExpressions.Equal {
  func wording(_ text: PredicateText) -> Wording { text.comparison(lhs, "==", other: rhs) }
}

extension PredicateExpressions.NotEqual {
  func wording(_ text: PredicateText) -> Wording { text.comparison(lhs, "!=", other: rhs) }
}

extension PredicateExpressions.Comparison {
  func wording(_ text: PredicateText) -> Wording {
    let sign =
      switch op {
      case .lessThan: "<"
      case .lessThanOrEqual: "<="
      case .greaterThan: ">"
      case .greaterThanOrEqual: ">="
      @unknown default: "\(op)"
      }
    return text.comparison(lhs, sign, other: rhs)
  }
}

extension PredicateText {
  /// Comparisons do not stand in a row.
  fileprivate func comparison<One: PredicateExpression, Other: PredicateExpression>(
    _ one: One, _ sign: String, other: Other
  ) -> Wording {
    Wording("\(operand(one, .coalescing)) \(sign) \(operand(other, .coalescing))", .comparison)
  }
}

// MARK: Optionals

extension PredicateExpressions.NilCoalesce {
  func wording(_ text: PredicateText) -> Wording {
    // It binds from the right.
    Wording("\(text.operand(lhs, .casting)) ?? \(text.operand(rhs, .coalescing))", .coalescing)
  }
}

extension PredicateExpressions.ForcedUnwrap {
  func wording(_ text: PredicateText) -> Wording { Wording(text.operand(inner, .postfix) + "!", .postfix) }
}

extension PredicateExpressions.OptionalFlatMap {
  func wording(_ text: PredicateText) -> Wording {
    let base = text.operand(wrapped, .postfix)
    // What begins with the value and says no more of it is `?.`. A sign that nobody writes stands for it meanwhile.
    var inner = text
    let sign = "\u{1}"
    inner.bind(variable.key, sign)
    let rest = inner.wording(transform)
    if rest.strength == .postfix, rest.text.hasPrefix(sign + "."), rest.text.dropFirst(1).contains(sign) == false {
      return Wording("\(base)?\(rest.text.dropFirst(1))", .postfix)
    }
    return Wording("\(base).flatMap \(text.closure(variable.key, transform))", .postfix)
  }
}
