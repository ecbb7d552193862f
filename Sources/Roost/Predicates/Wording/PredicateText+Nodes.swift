internal import Foundation
internal import RoostGraph
internal import RoostQuery

/// The text of each ``ExpressionNode``.
extension PredicateText {
  func wording(_ node: ExpressionNode, of whole: Operand) -> Wording {
    switch node {
    case .variable(let key): Wording(name(key), .postfix)
    case .value(let value): Wording(ValueText.text(value.value), .postfix)
    case .property(let property): Wording("\(operand(property.root, .postfix)).\(property.name)", .postfix)
    case .joint(.and, _, _): chain(whole.operands(of: .and), "&&", strength: .and)
    case .joint(.or, _, _): chain(whole.operands(of: .or), "||", strength: .or)
    case .not(let wrapped): Wording("!" + operand(wrapped, .prefix), .prefix)
    case .conditional(let test, let one, let other):
      Wording("\(operand(test, .or)) ? \(operand(one, .or)) : \(operand(other, .or))", .choice)
    case .equality(let sign, let one, let other): comparison(one, sign.sign, other: other)
    case .comparison(let sign, let one, let other): comparison(one, sign?.sign ?? "?", other: other)
    case .range(let low, let high, let isClosed):
      Wording("\(operand(low, .sum))\(isClosed ? "..." : "..<")\(operand(high, .sum))", .range)
    case .within(let range, let element): call(range, "contains", arguments: text(element))
    // It is right-associative.
    case .coalesce(let one, let other):
      Wording("\(operand(one, .casting)) ?? \(operand(other, .coalescing))", .coalescing)
    case .unwrap(let inner): Wording(operand(inner, .postfix) + "!", .postfix)
    case .flatMap(let wrapped, let variable, let transform, _): flatMap(wrapped, transform, binding: variable)
    case .cast(let cast, let input, let type): Wording("\(operand(input, .casting)) \(cast.sign) \(type)", .casting)
    case .arithmetic(let sign, let one, let other):
      infix(one, sign?.sign ?? "?", other: other, strength: sign?.strength ?? .product)
    case .negative(let wrapped): Wording("-" + operand(wrapped, .postfix), .prefix)
    case .contains(let list, let element): call(list, "contains", arguments: text(element))
    case .closure(let kind, let list, let variable, let body):
      Wording("\(operand(list, .postfix)).\(kind.name) \(closure(variable.key, body))", .postfix)
    case .extreme(let extreme, let list, _): call(list, extreme == .maximum ? "max" : "min", arguments: "")
    case .aggregate(let aggregation, let list, let variable, let body):
      Wording("\(operand(list, .postfix)).\(aggregation) \(closure(variable.key, body))", .postfix)
    case .element(let list, let index), .slice(let list, let index), .lookup(let list, key: let index):
      Wording("\(operand(list, .postfix))[\(text(index))]", .postfix)
    case .lookupOr(let table, let key, let instead):
      Wording("\(operand(table, .postfix))[\(text(key)), default: \(text(instead))]", .postfix)
    case .text(let test, let one, let other):
      call(one, test.name, arguments: (test == .starts ? "with: " : "") + text(other))
    case .order(let order, let one, let other):
      call(one, order == .localized ? "localizedCompare" : "caseInsensitiveCompare", arguments: text(other))
    case .changed(let change, let root): call(root, change == .uppercased ? "uppercased" : "lowercased", arguments: "")
    case .search(let model, let question): call(model, "matches", arguments: text(question))
    case .matches(let subject, let regex): call(subject, "contains", arguments: pattern(regex) ?? text(regex))
    case .evaluation(let input, let nested):
      Wording("(\(nested.members.map(text).joined())).evaluate(\(text(input)))", .postfix)
    case .predicates(let joint, _, let nested, _): predicates(joint, nested.members)
    case .foundation(let expression): call(expression, "evaluate", arguments: "…")
    case .unknown: Wording("\(type(of: whole.expression))", .postfix)
    }
  }

  // MARK: Operators

  private static let mostParts = 20

  private func chain(_ parts: [Operand], _ sign: String, strength: Wording.Strength) -> Wording {
    Wording(list(parts, sign) { operand($0, strength.above) }, strength)
  }

  /// Writes the first of many parts.
  private func list<Part>(_ parts: [Part], _ sign: String, text: (Part) -> String) -> String {
    var texts = parts.prefix(Self.mostParts).map(text)
    if parts.count > Self.mostParts { texts.append("…") }
    return texts.joined(separator: " \(sign) ")
  }

  /// Swift has no chained comparisons, so an operand that is a comparison gets parentheses.
  private func comparison(_ one: Operand, _ sign: String, other: Operand) -> Wording {
    Wording("\(operand(one, .coalescing)) \(sign) \(operand(other, .coalescing))", .comparison)
  }

  /// Writes an operator with two operands. The right one must have a higher precedence.
  private func infix(_ one: Operand, _ sign: String, other: Operand, strength: Wording.Strength) -> Wording {
    Wording("\(operand(one, strength)) \(sign) \(operand(other, strength.above))", strength)
  }

  private func flatMap(_ wrapped: Operand, _ transform: Operand, binding variable: BoundVariable) -> Wording {
    let base = operand(wrapped, .postfix)
    // A transform that begins with the value and uses it only there is `?.`. Meanwhile an unused
    // character is the value's name.
    var inner = self
    let sign = "\u{1}"
    inner.bind(variable.key, sign)
    let rest = inner.wording(transform)
    if rest.strength == .postfix, rest.text.hasPrefix(sign + "."), !rest.text.dropFirst(1).contains(sign) {
      return Wording("\(base)?\(rest.text.dropFirst(1))", .postfix)
    }
    return Wording("\(base).flatMap \(closure(variable.key, transform))", .postfix)
  }

  // MARK: Calls

  private func call(_ root: Operand, _ name: String, arguments: String) -> Wording {
    Wording("\(operand(root, .postfix)).\(name)(\(arguments))", .postfix)
  }

  /// Writes a closure with one parameter.
  private func closure(_ variable: PredicateExpressions.VariableID, _ body: Operand) -> String {
    var inner = self
    inner.bind(variable)
    return "{ \(inner.text(body)) }"
  }

  private func pattern(_ regex: Operand) -> String? {
    (regex.capturedValue as? PredicateExpressions.PredicateRegex).map { "/\($0.stringRepresentation)/" }
  }

  private func text(_ member: NestedExpressions.Member) -> String {
    PredicateText(member.variable).text(Operand(member.expression))
  }

  private func predicates(_ joint: ExpressionNode.Joint, _ members: [NestedExpressions.Member]) -> Wording {
    if members.isEmpty { return Wording("\(joint == .and)", .postfix) }
    return Wording("(\(list(members, joint == .and ? "&&" : "||", text: text)))", .postfix)
  }
}

extension Operand {
  fileprivate var capturedValue: Any? {
    guard case .value(let value) = node else { return nil }
    return value.value
  }
}

extension PropertyAccess {
  fileprivate var name: String {
    if let known = ofCollection() { return known.rawValue }
    let (root, output) = (type(of: keyPath).rootType, type(of: keyPath).valueType)
    if let model = root as? any _ModelObject.Type {
      if let number = model._$type.number(of: keyPath) { return model._$type.propertyName(number) }
      if Identity.isIdentifier(keyPath, of: model) { return "persistentModelID" }
    }
    if RawValues.isRawValue(keyPath) { return "rawValue" }
    if let computed = ComputedPart(keyPath) { return computed.name }
    let text = String(describing: keyPath)
    // The runtime knows only the type of a computed property.
    guard let point = text.lastIndex(of: "."), !text.contains("<computed") else { return "(a computed \(output))" }
    return String(text[text.index(after: point)...])
  }
}

// MARK: Signs and names

extension Condition.Arithmetic {
  fileprivate var strength: Wording.Strength { self == .add || self == .subtract ? .sum : .product }
}

extension ExpressionNode.Closure {
  fileprivate var name: String {
    switch self {
    case .some: "contains"
    case .all: "allSatisfy"
    case .filter: "filter"
    }
  }
}

extension ExpressionNode.Cast {
  fileprivate var sign: String {
    switch self {
    case .test: "is"
    case .conditional: "as?"
    case .forced: "as\("!")"
    }
  }
}
