internal import SwiftSyntax

extension PredicateWriter {
  /// Writes a method call on the predicate's input, or on a captured value with the input as an
  /// argument.
  mutating func call(_ call: FunctionCallExprSyntax) -> String {
    guard let callee = call.calledExpression.as(MemberAccessExprSyntax.self), let base = callee.base else {
      return refuse(call, "a predicate cannot call this: compute it before, and compare with the result")
    }
    let name = callee.declName.baseName.text
    let arguments = Array(call.arguments)
    if let closure = call.trailingClosure ?? arguments.first?.expression.as(ClosureExprSyntax.self),
      arguments.count + (call.trailingClosure == nil ? 0 : 1) == 1, call.additionalTrailingClosures.isEmpty
    {
      return quantified(name, base, closure: closure, callee: callee)
    }
    guard call.trailingClosure == nil else { return unknown(callee) }
    switch (name, arguments.map { $0.label?.text ?? "" }) {
    case ("contains", [""]), ("evaluate", [""]), ("localizedStandardContains", [""]), ("localizedCompare", [""]),
      ("caseInsensitiveCompare", [""]), ("hasPrefix", [""]), ("hasSuffix", [""]),
      ("matches", [""]):
      let receiver = value(base)
      return build(name, receiver, value(arguments[0].expression))
    case ("starts", ["with"]):
      let receiver = value(base)
      return build("starts", receiver, "with: " + value(arguments[0].expression))
    case ("sum", [""]), ("average", [""]), ("min", [""]), ("max", [""]):
      guard let path = arguments[0].expression.as(KeyPathExprSyntax.self) else { return unknown(callee) }
      let receiver = value(base)
      return build(name, receiver, properties(path))
    case ("lowercased", []), ("uppercased", []), ("min", []), ("max", []): return build(name, value(base))
    default: return unknown(callee)
    }
  }

  private mutating func quantified(
    _ name: String, _ base: ExprSyntax, closure: ClosureExprSyntax, callee: MemberAccessExprSyntax
  ) -> String {
    let receiver = value(base)
    switch name {
    case "contains": return build("contains", receiver, "where: " + self.closure(closure))
    case "allSatisfy", "filter", "flatMap": return build(name, receiver, self.closure(closure))
    default: return unknown(callee)
    }
  }

  /// A key path of properties as a closure.
  private mutating func properties(_ path: KeyPathExprSyntax) -> String {
    let names = path.components.compactMap { $0.component.as(KeyPathPropertyComponentSyntax.self)?.declName }
    guard names.count == path.components.count, !names.isEmpty else {
      return refuse(
        path, "a predicate needs a key path of plain properties here, such as '\\.amount' or '\\.place.number'")
    }
    let variable = self.names.next()
    let body = names.reduce(variable) { build("KeyPath", "root: " + $0, "keyPath: \\.\($1.trimmedDescription)") }
    return "{ \(variable) in \(body) }"
  }

  private mutating func unknown(_ callee: MemberAccessExprSyntax) -> String {
    refuse(
      callee.declName,
      "a predicate cannot call '\(callee.declName.trimmedDescription)', only contains, allSatisfy, filter, flatMap, starts(with:), "
        + "hasPrefix, hasSuffix, matches, lowercased, uppercased, localizedStandardContains, localizedCompare, caseInsensitiveCompare, min, max, "
        + "sum, average and evaluate; compute anything else before, and compare with the result")
  }

  /// Writes a subscript of an array or of a dictionary.
  mutating func element(_ call: SubscriptCallExprSyntax) -> String {
    let arguments = Array(call.arguments)
    switch arguments.map({ $0.label?.text ?? "" }) {
    case [""]:
      let receiver = value(call.calledExpression)
      return build("subscript", receiver, value(arguments[0].expression))
    case ["", "default"]:
      let (receiver, key) = (value(call.calledExpression), value(arguments[0].expression))
      return build("subscript", receiver, key, "default: " + value(arguments[1].expression))
    default:
      return refuse(
        call, "a predicate supports 'list[number]', 'dictionary[key]' and 'dictionary[key, default: value]'")
    }
  }
}
