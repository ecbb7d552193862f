internal import Foundation

extension PredicateExpressions.Arithmetic {
  func wording(_ text: PredicateText) -> Wording {
    switch op {
    case .add: text.infix(lhs, "+", other: rhs, strength: .sum)
    case .subtract: text.infix(lhs, "-", other: rhs, strength: .sum)
    case .multiply: text.infix(lhs, "*", other: rhs, strength: .product)
    @unknown default: text.infix(lhs, "\(op)", other: rhs, strength: .product)
    }
  }
}

extension PredicateExpressions.IntDivision {
  func wording(_ text: PredicateText) -> Wording { text.infix(lhs, "/", other: rhs, strength: .product) }
}

extension PredicateExpressions.FloatDivision {
  func wording(_ text: PredicateText) -> Wording { text.infix(lhs, "/", other: rhs, strength: .product) }
}

extension PredicateExpressions.IntRemainder {
  func wording(_ text: PredicateText) -> Wording { text.infix(lhs, "%", other: rhs, strength: .product) }
}

extension PredicateExpressions.UnaryMinus {
  func wording(_ text: PredicateText) -> Wording { Wording("-" + text.operand(wrapped, .postfix), .prefix) }
}

// MARK: Ranges

extension PredicateExpressions.Range {
  func wording(_ text: PredicateText) -> Wording {
    Wording("\(text.operand(lower, .sum))..<\(text.operand(upper, .sum))", .range)
  }
}

extension PredicateExpressions.ClosedRange {
  func wording(_ text: PredicateText) -> Wording {
    Wording("\(text.operand(lower, .sum))...\(text.operand(upper, .sum))", .range)
  }
}

extension PredicateExpressions.RangeExpressionContains {
  func wording(_ text: PredicateText) -> Wording { text.call(range, "contains", arguments: text.text(element)) }
}

// MARK: Collections

extension PredicateText {
  /// A method of one expression.
  func call<Root: PredicateExpression>(_ root: Root, _ name: String, arguments: String) -> Wording {
    Wording("\(operand(root, .postfix)).\(name)(\(arguments))", .postfix)
  }

  fileprivate func call<Root: PredicateExpression, Body: PredicateExpression>(
    _ root: Root, _ name: String, variable: PredicateExpressions.VariableID, body: Body
  ) -> Wording {
    Wording("\(operand(root, .postfix)).\(name) \(closure(variable, body))", .postfix)
  }
}

extension PredicateExpressions.SequenceContains {
  func wording(_ text: PredicateText) -> Wording { text.call(sequence, "contains", arguments: text.text(element)) }
}

extension PredicateExpressions.SequenceContainsWhere {
  func wording(_ text: PredicateText) -> Wording { text.call(sequence, "contains", variable: variable.key, body: test) }
}

extension PredicateExpressions.SequenceAllSatisfy {
  func wording(_ text: PredicateText) -> Wording {
    text.call(sequence, "allSatisfy", variable: variable.key, body: test)
  }
}

extension PredicateExpressions.Filter {
  func wording(_ text: PredicateText) -> Wording { text.call(sequence, "filter", variable: variable.key, body: filter) }
}

extension PredicateExpressions.SequenceMaximum {
  func wording(_ text: PredicateText) -> Wording { text.call(elements, "max", arguments: "") }
}

extension PredicateExpressions.SequenceMinimum {
  func wording(_ text: PredicateText) -> Wording { text.call(elements, "min", arguments: "") }
}

extension PredicateExpressions.CollectionIndexSubscript {
  func wording(_ text: PredicateText) -> Wording {
    Wording("\(text.operand(wrapped, .postfix))[\(text.text(index))]", .postfix)
  }
}

extension PredicateExpressions.CollectionRangeSubscript {
  func wording(_ text: PredicateText) -> Wording {
    Wording("\(text.operand(wrapped, .postfix))[\(text.text(range))]", .postfix)
  }
}

extension PredicateExpressions.DictionaryKeySubscript {
  func wording(_ text: PredicateText) -> Wording {
    Wording("\(text.operand(wrapped, .postfix))[\(text.text(key))]", .postfix)
  }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript {
  func wording(_ text: PredicateText) -> Wording {
    Wording("\(text.operand(wrapped, .postfix))[\(text.text(key)), default: \(text.text(`default`))]", .postfix)
  }
}

// MARK: Texts

extension PredicateExpressions.SequenceStartsWith {
  func wording(_ text: PredicateText) -> Wording { text.call(base, "starts", arguments: "with: " + text.text(prefix)) }
}

extension PredicateExpressions.CollectionContainsCollection {
  func wording(_ text: PredicateText) -> Wording { text.call(base, "contains", arguments: text.text(other)) }
}

extension PredicateExpressions.StringContainsRegex {
  func wording(_ text: PredicateText) -> Wording {
    let pattern = (regex as? PredicateExpressions.Value<PredicateExpressions.PredicateRegex>)?.value
    return text.call(subject, "contains", arguments: pattern.map { "/\($0.stringRepresentation)/" } ?? text.text(regex))
  }
}

extension PredicateExpressions.TextEdge {
  func wording(_ text: PredicateText) -> Wording {
    text.call(root, isSuffix ? "hasSuffix" : "hasPrefix", arguments: text.text(edge))
  }
}

extension PredicateExpressions.TextInCase {
  func wording(_ text: PredicateText) -> Wording {
    text.call(root, isUpper ? "uppercased" : "lowercased", arguments: "")
  }
}

#if !canImport(Darwin)
  extension PredicateExpressions.StringLocalizedStandardContains {
    func wording(_ text: PredicateText) -> Wording {
      text.call(root, "localizedStandardContains", arguments: text.text(other))
    }
  }

  extension PredicateExpressions.StringLocalizedCompare {
    func wording(_ text: PredicateText) -> Wording { text.call(root, "localizedCompare", arguments: text.text(other)) }
  }

  extension PredicateExpressions.StringCaseInsensitiveCompare {
    func wording(_ text: PredicateText) -> Wording {
      text.call(root, "caseInsensitiveCompare", arguments: text.text(other))
    }
  }
#endif
