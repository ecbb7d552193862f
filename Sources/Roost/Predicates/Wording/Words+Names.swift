internal import Foundation
internal import RoostGraph

extension PredicateExpressions.Variable {
  func wording(_ text: PredicateText) -> Wording { Wording(text.name(key), .postfix) }
}

extension PredicateExpressions.Value {
  func wording(_ text: PredicateText) -> Wording { Wording(ValueText.text(value), .postfix) }
}

extension PredicateExpressions.NilLiteral {
  func wording(_ text: PredicateText) -> Wording { Wording("nil", .postfix) }
}

extension PredicateExpressions.KeyPath {
  func wording(_ text: PredicateText) -> Wording {
    Wording("\(text.operand(root, .postfix)).\(name)", .postfix)
  }

  private var name: String {
    switch kind {
    case .collectionCount?: return "count"
    case .collectionIsEmpty?: return "isEmpty"
    case .collectionFirst?: return "first"
    case .bidirectionalCollectionLast?: return "last"
    case nil: break
    }
    if let model = Root.Output.self as? any _ModelObject.Type {
      if let number = model._$type.number(of: keyPath) { return model._$type.propertyName(number) }
      if Identity.isIdentifier(keyPath, of: model) { return "persistentModelID" }
    }
    if RawValues.isRawValue(keyPath) { return "rawValue" }
    let text = String(describing: keyPath)
    // Of a computed property the runtime knows its type alone.
    guard let point = text.lastIndex(of: "."), !text.contains("<computed") else { return "(a computed \(Output.self))" }
    return String(text[text.index(after: point)...])
  }
}

extension PredicateExpressions.TypeCheck {
  func wording(_ text: PredicateText) -> Wording {
    Wording("\(text.operand(input, .casting)) is \(Desired.self)", .casting)
  }
}

extension PredicateExpressions.ConditionalCast {
  func wording(_ text: PredicateText) -> Wording {
    Wording("\(text.operand(input, .casting)) as? \(Desired.self)", .casting)
  }
}

extension PredicateExpressions.ForceCast {
  func wording(_ text: PredicateText) -> Wording {
    Wording("\(text.operand(input, .casting)) as\("!") \(Desired.self)", .casting)
  }
}
