internal import Foundation
internal import RoostGraph
internal import RoostQuery

/// Functions of collections, and of the rows of a relationship.
extension Translator {
  func contains(_ sequence: Operand, _ element: Operand) throws -> TranslatedPart {
    if let found = try hasKey(sequence, element) { return found }
    let (list, member) = (try piece(sequence), try piece(element))
    if let map = member.row, let captured = list.captured {
      return TranslatedPart(.contains(try Constant.rows(captured, of: map, graph, unknown: unknown), member.expression))
    }
    if let map = list.rows {
      guard let captured = member.captured else { return TranslatedPart(.contains(list.expression, member.expression)) }
      return TranslatedPart(.contains(list.expression, try Constant.row(captured, of: map, graph, unknown: unknown)))
    }
    guard Constant.isComparedByValue(element.output) else { throw Untranslatable(element.expression) }
    return TranslatedPart(.contains(try value(list), try value(member)))
  }

  func piece(
    _ closure: ExpressionNode.Closure, _ sequence: Operand, binding variable: BoundVariable, body: Operand
  ) throws -> TranslatedPart {
    let (list, number) = try bindElement(of: sequence, variable)
    let test = try value(of: body)
    switch closure {
    case .some: return TranslatedPart(.quantified(.some, number, list.expression, test))
    case .all: return TranslatedPart(.quantified(.all, number, list.expression, test))
    case .filter: return TranslatedPart(.filter(number, list.expression, test), list.meaning)
    }
  }

  /// The engine computes aggregates of the rows of a relationship. It does not add decimals.
  func aggregate(
    _ aggregation: Condition.Aggregation, _ sequence: Operand, binding variable: BoundVariable, body: Operand
  ) throws -> TranslatedPart {
    let whole = TypeFacts.whole(body.output)
    let (list, number) = try bindElement(of: sequence, variable)
    guard list.rows != nil, whole != Decimal.self, Constant.isSortedByValue(whole) else {
      throw Untranslatable(sequence.expression)
    }
    return TranslatedPart(.aggregate(aggregation, number, list.expression, try value(of: body)))
  }

  /// Returns a collection, and the engine's variable for its elements.
  private func bindElement(of list: Operand, _ variable: BoundVariable) throws -> (TranslatedPart, Int) {
    var found = try piece(list)
    let number = newVariable()
    if let map = found.rows {
      bind(variable.key, TranslatedPart(.variable(number), .row(map)))
      return (found, number)
    }
    found = TranslatedPart(try value(found))
    guard variable.type is any Codable.Type else { throw Untranslatable(list.expression) }
    bind(variable.key, TranslatedPart(.variable(number), .element(of: variable.type)))
    return (found, number)
  }

  func element(of sequence: Operand, at index: Operand, type: Any.Type) throws -> TranslatedPart {
    let list = try piece(sequence)
    guard list.rows == nil else { throw Untranslatable(sequence.expression) }
    let place = try value(of: index)
    return TranslatedPart(.element(try value(list), place), .element(of: type))
  }

  func lookup(_ table: Operand, _ key: Operand) throws -> Condition {
    guard Constant.isComparedByValue(key.output) else { throw Untranslatable(key.expression) }
    return .lookup(try value(of: table), try value(of: key))
  }
}
