internal import Foundation

/// One type of each kind of Foundation's expressions, and of ours, by the name of the generic type.
///
/// To name such a type takes the runtime a search through all conformances for each type in it. In a function that is generic over the parts
/// it does not, because what the parts conform to comes with them. So the functions must stay generic.
enum ExpressionSamples {
  static func sample(_ name: String) -> (any Translatable.Type)? {
    switch name {
    case "Value": PredicateExpressions.Value<Int>.self
    case "Variable": PredicateExpressions.Variable<Int>.self
    case "NilLiteral": PredicateExpressions.NilLiteral<Int>.self
    case "Conjunction", "Disjunction", "Negation", "Conditional":
      flags(name, PredicateExpressions.Value<Bool>.self)
    case "NilCoalesce", "ForcedUnwrap", "OptionalFlatMap":
      optionals(name, PredicateExpressions.Value<Int?>.self, number: PredicateExpressions.Value<Int>.self)
    case "FloatDivision": reals(PredicateExpressions.Value<Double>.self)
    case "SequenceContains", "SequenceContainsWhere", "SequenceAllSatisfy", "Filter", "SequenceMaximum",
      "SequenceMinimum", "CollectionIndexSubscript":
      lists(
        name, PredicateExpressions.Value<[Int]>.self, number: PredicateExpressions.Value<Int>.self,
        flag: PredicateExpressions.Value<Bool>.self)
    case "SequenceStartsWith", "CollectionContainsCollection", "TextEdge", "TextInCase",
      "StringLocalizedStandardContains", "StringLocalizedCompare", "StringCaseInsensitiveCompare":
      texts(name, PredicateExpressions.Value<String>.self)
    case "DictionaryKeySubscript", "DictionaryKeyDefaultValueSubscript":
      tables(name, PredicateExpressions.Value<[Int: Int]>.self, number: PredicateExpressions.Value<Int>.self)
    default: numbers(name, PredicateExpressions.Value<Int>.self)
    }
  }

  @inline(never) @_semantics("optimize.sil.specialize.generic.never")
  private static func numbers<Number: PredicateExpression>(
    _ name: String, _ number: Number.Type
  ) -> (any Translatable.Type)? where Number.Output == Int {
    switch name {
    case "KeyPath": PredicateExpressions.KeyPath<Number, Int>.self
    case "Equal": PredicateExpressions.Equal<Number, Number>.self
    case "NotEqual": PredicateExpressions.NotEqual<Number, Number>.self
    case "Comparison": PredicateExpressions.Comparison<Number, Number>.self
    case "Arithmetic": PredicateExpressions.Arithmetic<Number, Number>.self
    case "IntDivision": PredicateExpressions.IntDivision<Number, Number>.self
    case "IntRemainder": PredicateExpressions.IntRemainder<Number, Number>.self
    case "UnaryMinus": PredicateExpressions.UnaryMinus<Number>.self
    case "Range": PredicateExpressions.Range<Number, Number>.self
    case "ClosedRange": PredicateExpressions.ClosedRange<Number, Number>.self
    case "RangeExpressionContains":
      PredicateExpressions.RangeExpressionContains<PredicateExpressions.ClosedRange<Number, Number>, Number>.self
    case "TypeCheck": PredicateExpressions.TypeCheck<Number, Int>.self
    case "ConditionalCast": PredicateExpressions.ConditionalCast<Number, Int>.self
    case "ForceCast": PredicateExpressions.ForceCast<Number, Int>.self
    default: ours(name, number)
    }
  }

  @inline(never) @_semantics("optimize.sil.specialize.generic.never")
  private static func flags<Flag: PredicateExpression>(
    _ name: String, _ flag: Flag.Type
  ) -> (any Translatable.Type)? where Flag.Output == Bool {
    switch name {
    case "Conjunction": PredicateExpressions.Conjunction<Flag, Flag>.self
    case "Disjunction": PredicateExpressions.Disjunction<Flag, Flag>.self
    case "Negation": PredicateExpressions.Negation<Flag>.self
    case "Conditional": PredicateExpressions.Conditional<Flag, Flag, Flag>.self
    default: nil
    }
  }

  @inline(never) @_semantics("optimize.sil.specialize.generic.never")
  private static func optionals<Perhaps: PredicateExpression, Number: PredicateExpression>(
    _ name: String, _ perhaps: Perhaps.Type, number: Number.Type
  ) -> (any Translatable.Type)? where Perhaps.Output == Int?, Number.Output == Int {
    switch name {
    case "NilCoalesce": PredicateExpressions.NilCoalesce<Perhaps, Number>.self
    case "ForcedUnwrap": PredicateExpressions.ForcedUnwrap<Perhaps, Int>.self
    case "OptionalFlatMap": PredicateExpressions.OptionalFlatMap<Perhaps, Int, Number, Int>.self
    default: nil
    }
  }

  @inline(never) @_semantics("optimize.sil.specialize.generic.never")
  private static func reals<Real: PredicateExpression>(
    _ real: Real.Type
  ) -> (any Translatable.Type)? where Real.Output == Double {
    PredicateExpressions.FloatDivision<Real, Real>.self
  }

  @inline(never) @_semantics("optimize.sil.specialize.generic.never")
  private static func lists<List: PredicateExpression, Number: PredicateExpression, Flag: PredicateExpression>(
    _ name: String, _ list: List.Type, number: Number.Type, flag: Flag.Type
  ) -> (any Translatable.Type)? where List.Output == [Int], Number.Output == Int, Flag.Output == Bool {
    switch name {
    case "SequenceContains": PredicateExpressions.SequenceContains<List, Number>.self
    case "SequenceContainsWhere": PredicateExpressions.SequenceContainsWhere<List, Flag>.self
    case "SequenceAllSatisfy": PredicateExpressions.SequenceAllSatisfy<List, Flag>.self
    case "Filter": PredicateExpressions.Filter<List, Flag>.self
    case "SequenceMaximum": PredicateExpressions.SequenceMaximum<List>.self
    case "SequenceMinimum": PredicateExpressions.SequenceMinimum<List>.self
    case "CollectionIndexSubscript": PredicateExpressions.CollectionIndexSubscript<List, Number>.self
    default: nil
    }
  }

  @inline(never) @_semantics("optimize.sil.specialize.generic.never")
  private static func texts<Text: PredicateExpression>(
    _ name: String, _ text: Text.Type
  ) -> (any Translatable.Type)? where Text.Output == String {
    switch name {
    case "SequenceStartsWith": PredicateExpressions.SequenceStartsWith<Text, Text>.self
    case "CollectionContainsCollection": PredicateExpressions.CollectionContainsCollection<Text, Text>.self
    case "TextEdge": PredicateExpressions.TextEdge<Text, Text>.self
    case "TextInCase": PredicateExpressions.TextInCase<Text>.self
    default: looseTexts(name, text)
    }
  }

  @inline(never) @_semantics("optimize.sil.specialize.generic.never")
  private static func tables<Table: PredicateExpression, Number: PredicateExpression>(
    _ name: String, _ table: Table.Type, number: Number.Type
  ) -> (any Translatable.Type)? where Table.Output == [Int: Int], Number.Output == Int {
    switch name {
    case "DictionaryKeySubscript": PredicateExpressions.DictionaryKeySubscript<Table, Number, Int>.self
    case "DictionaryKeyDefaultValueSubscript":
      PredicateExpressions.DictionaryKeyDefaultValueSubscript<Table, Number, Number>.self
    default: nil
    }
  }

  // Foundation has these on Apple's systems.

  @inline(never) @_semantics("optimize.sil.specialize.generic.never")
  private static func ours<Number: PredicateExpression>(
    _ name: String, _ number: Number.Type
  ) -> (any Translatable.Type)? where Number.Output == Int {
    #if !canImport(Darwin)
      switch name {
      case "PredicateEvaluate": return PredicateExpressions.PredicateEvaluate<Number>.self
      case "ModelExpression": return PredicateExpressions.ModelExpression<Number, Int>.self
      case "JoinedPredicates": return PredicateExpressions.JoinedPredicates<Int>.self
      default: return nil
      }
    #else
      return nil
    #endif
  }

  @inline(never) @_semantics("optimize.sil.specialize.generic.never")
  private static func looseTexts<Text: PredicateExpression>(
    _ name: String, _ text: Text.Type
  ) -> (any Translatable.Type)? where Text.Output == String {
    #if !canImport(Darwin)
      switch name {
      case "StringLocalizedStandardContains":
        return PredicateExpressions.StringLocalizedStandardContains<Text, Text>.self
      case "StringLocalizedCompare": return PredicateExpressions.StringLocalizedCompare<Text, Text>.self
      case "StringCaseInsensitiveCompare": return PredicateExpressions.StringCaseInsensitiveCompare<Text, Text>.self
      default: return nil
      }
    #else
      return nil
    #endif
  }
}
