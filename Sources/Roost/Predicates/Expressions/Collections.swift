internal import Foundation
internal import RoostGraph
internal import RoostQuery

/// What is asked of collections, and of the rows of a relationship.
extension PredicateExpressions.SequenceContains: Translatable {
  func piece(_ translator: Translator) throws -> Piece {
    let (list, member) = (try translator.piece(sequence), try translator.piece(element))
    if let map = member.row, let captured = list.captured {
      return Piece(.contains(try Constant.rows(captured, of: map, translator.graph), member.expression))
    }
    if let map = list.rows {
      guard let captured = member.captured else { return Piece(.contains(list.expression, member.expression)) }
      return Piece(.contains(list.expression, try Constant.row(captured, of: map, translator.graph)))
    }
    guard Constant.isComparedByValue(RHS.Output.self) else { throw Untranslatable(self) }
    return Piece(.contains(try translator.value(list), try translator.value(member)))
  }
}

extension PredicateExpressions.SequenceContainsWhere: Translatable {
  func piece(_ translator: Translator) throws -> Piece {
    let (list, number) = try translator.bindElement(of: sequence, variable)
    return Piece(.quantified(.some, number, list.expression, try translator.value(of: test)))
  }
}

extension PredicateExpressions.SequenceAllSatisfy: Translatable {
  func piece(_ translator: Translator) throws -> Piece {
    let (list, number) = try translator.bindElement(of: sequence, variable)
    return Piece(.quantified(.all, number, list.expression, try translator.value(of: test)))
  }
}

extension PredicateExpressions.Filter: Translatable {
  func piece(_ translator: Translator) throws -> Piece {
    let (list, number) = try translator.bindElement(of: sequence, variable)
    return Piece(.filter(number, list.expression, try translator.value(of: filter)), list.meaning)
  }
}

extension Translator {
  /// A collection, and the engine's variable for each of its elements.
  fileprivate func bindElement<List: PredicateExpression, Element>(
    of list: List, _ variable: PredicateExpressions.Variable<Element>
  ) throws -> (Piece, Int) {
    var found = try piece(list)
    let number = newVariable()
    if let map = found.rows {
      bind(variable.key, Piece(.variable(number), .row(map)))
      return (found, number)
    }
    found = Piece(try value(found))
    guard Element.self is any Codable.Type else { throw Untranslatable(list) }
    bind(variable.key, Piece(.variable(number), .element(of: Element.self)))
    return (found, number)
  }
}

extension PredicateExpressions.SequenceMaximum: Translatable {
  func piece(_ translator: Translator) throws -> Piece {
    guard Constant.isSortedByValue(Elements.Output.Element.self) else { throw Untranslatable(self) }
    return Piece(.maximum(try translator.value(of: elements)))
  }
}

extension PredicateExpressions.SequenceMinimum: Translatable {
  func piece(_ translator: Translator) throws -> Piece {
    guard Constant.isSortedByValue(Elements.Output.Element.self) else { throw Untranslatable(self) }
    return Piece(.minimum(try translator.value(of: elements)))
  }
}

extension PredicateExpressions.CollectionIndexSubscript: Translatable {
  func piece(_ translator: Translator) throws -> Piece {
    let list = try translator.piece(wrapped)
    guard list.rows == nil else { throw Untranslatable(self) }
    let place = try translator.value(of: index)
    return Piece(.element(try translator.value(list), place), .element(of: Output.self))
  }
}

extension PredicateExpressions.DictionaryKeySubscript: Translatable {
  func piece(_ translator: Translator) throws -> Piece {
    guard Constant.isComparedByValue(Key.Output.self) else { throw Untranslatable(self) }
    let table = try translator.value(of: wrapped)
    return Piece(.lookup(table, try translator.value(of: key)))
  }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: Translatable {
  func piece(_ translator: Translator) throws -> Piece {
    guard Constant.isComparedByValue(Key.Output.self) else { throw Untranslatable(self) }
    let table = try translator.value(of: wrapped)
    let found = Condition.lookup(table, try translator.value(of: key))
    return Piece(.coalesce(found, try translator.value(of: `default`)))
  }
}
