internal import Foundation
internal import RoostGraph
internal import RoostQuery

/// What is asked of collections, and of the rows of a relationship.
extension PredicateExpressions.SequenceContains: Translatable {
  func piece(_ translator: Translator) throws -> TranslatedPart {
    let (list, member) = (try translator.piece(sequence), try translator.piece(element))
    if let map = member.row, let captured = list.captured {
      return TranslatedPart(.contains(try Constant.rows(captured, of: map, translator.graph), member.expression))
    }
    if let map = list.rows {
      guard let captured = member.captured else { return TranslatedPart(.contains(list.expression, member.expression)) }
      return TranslatedPart(.contains(list.expression, try Constant.row(captured, of: map, translator.graph)))
    }
    guard Constant.isComparedByValue(RHS.Output.self) else { throw Untranslatable(self) }
    return TranslatedPart(.contains(try translator.value(list), try translator.value(member)))
  }
}

extension PredicateExpressions.SequenceContainsWhere: Translatable {
  func piece(_ translator: Translator) throws -> TranslatedPart {
    let (list, number) = try translator.bindElement(of: sequence, variable)
    return TranslatedPart(.quantified(.some, number, list.expression, try translator.value(of: test)))
  }
}

extension PredicateExpressions.SequenceAllSatisfy: Translatable {
  func piece(_ translator: Translator) throws -> TranslatedPart {
    let (list, number) = try translator.bindElement(of: sequence, variable)
    return TranslatedPart(.quantified(.all, number, list.expression, try translator.value(of: test)))
  }
}

extension PredicateExpressions.Filter: Translatable {
  func piece(_ translator: Translator) throws -> TranslatedPart {
    let (list, number) = try translator.bindElement(of: sequence, variable)
    return TranslatedPart(.filter(number, list.expression, try translator.value(of: filter)), list.meaning)
  }
}

extension Translator {
  /// A collection, and the engine's variable for each of its elements.
  fileprivate func bindElement<List: PredicateExpression, Element>(
    of list: List, _ variable: PredicateExpressions.Variable<Element>
  ) throws -> (TranslatedPart, Int) {
    var found = try piece(list)
    let number = newVariable()
    if let map = found.rows {
      bind(variable.key, TranslatedPart(.variable(number), .row(map)))
      return (found, number)
    }
    found = TranslatedPart(try value(found))
    guard Element.self is any Codable.Type else { throw Untranslatable(list) }
    bind(variable.key, TranslatedPart(.variable(number), .element(of: Element.self)))
    return (found, number)
  }
}

extension PredicateExpressions.SequenceMaximum: Translatable {
  func piece(_ translator: Translator) throws -> TranslatedPart {
    guard Constant.isSortedByValue(Elements.Output.Element.self) else { throw Untranslatable(self) }
    return TranslatedPart(.maximum(try translator.value(of: elements)))
  }
}

extension PredicateExpressions.SequenceMinimum: Translatable {
  func piece(_ translator: Translator) throws -> TranslatedPart {
    guard Constant.isSortedByValue(Elements.Output.Element.self) else { throw Untranslatable(self) }
    return TranslatedPart(.minimum(try translator.value(of: elements)))
  }
}

extension PredicateExpressions.CollectionIndexSubscript: Translatable {
  func piece(_ translator: Translator) throws -> TranslatedPart {
    let list = try translator.piece(wrapped)
    guard list.rows == nil else { throw Untranslatable(self) }
    let place = try translator.value(of: index)
    return TranslatedPart(.element(try translator.value(list), place), .element(of: Output.self))
  }
}

extension PredicateExpressions.DictionaryKeySubscript: Translatable {
  func piece(_ translator: Translator) throws -> TranslatedPart {
    guard Constant.isComparedByValue(Key.Output.self) else { throw Untranslatable(self) }
    let table = try translator.value(of: wrapped)
    return TranslatedPart(.lookup(table, try translator.value(of: key)))
  }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: Translatable {
  func piece(_ translator: Translator) throws -> TranslatedPart {
    guard Constant.isComparedByValue(Key.Output.self) else { throw Untranslatable(self) }
    let table = try translator.value(of: wrapped)
    let found = Condition.lookup(table, try translator.value(of: key))
    return TranslatedPart(.coalesce(found, try translator.value(of: `default`)))
  }
}
