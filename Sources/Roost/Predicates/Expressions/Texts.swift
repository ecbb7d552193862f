internal import Foundation
internal import RoostQuery

/// What is asked of texts.
extension PredicateExpressions.CollectionContainsCollection: Translatable {
  func piece(_ translator: Translator) throws -> TranslatedPart {
    guard Base.Output.self == String.self, Other.Output.self == String.self else { throw Untranslatable(self) }
    let text = try translator.value(of: base)
    return TranslatedPart(.text(.contains, text, try translator.value(of: other)))
  }
}

extension PredicateExpressions.SequenceStartsWith: Translatable {
  func piece(_ translator: Translator) throws -> TranslatedPart {
    guard Base.Output.self == String.self, Prefix.Output.self == String.self else { throw Untranslatable(self) }
    let text = try translator.value(of: base)
    return TranslatedPart(.text(.starts, text, try translator.value(of: prefix)))
  }
}

extension PredicateExpressions.StringContainsRegex: Translatable {
  func piece(_ translator: Translator) throws -> TranslatedPart {
    guard Subject.Output.self == String.self,
      let captured = try translator.piece(regex).captured?.value as? PredicateExpressions.PredicateRegex
    else { throw Untranslatable(self) }
    return TranslatedPart(.matches(try translator.value(of: subject), captured.stringRepresentation))
  }
}
