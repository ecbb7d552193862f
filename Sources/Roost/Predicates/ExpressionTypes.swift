internal import Foundation

/// Finds what Roost knows of an expression's type.
///
/// A cast does that too. But each new type that is made of others is looked for among all conformances of all libraries, which
/// takes some hundred thousand instructions a type, and a predicate consists of ten. All types that are made by one generic type
/// share their witnesses here, so those of a sample serve. What is not in the table is cast; a debug build casts
/// everything, and compares.
enum ExpressionTypes {
  /// What the runtime knows as `any Translatable.Type`.
  private struct Known {
    var type: UnsafeRawPointer
    var witnesses: UnsafeRawPointer

    init(type: UnsafeRawPointer, witnesses: UnsafeRawPointer) {
      self.type = type
      self.witnesses = witnesses
    }

    init(_ type: any Translatable.Type) { self = unsafeBitCast(Held(type: type), to: Known.self) }

    var translatable: any Translatable.Type { unsafeBitCast(self, to: Held.self).type }
  }

  /// By itself the compiler would look into what is passed, and pass that.
  private struct Held { var type: any Translatable.Type }

  static func translatable<Expression: PredicateExpression>(_ expression: Expression) -> (any Translatable)? {
    guard let known = translatable(type: Expression.self) else { return nil }
    func open<Same: Translatable>(_ type: Same.Type) -> any Translatable {
      // The two names stand for one type.
      withUnsafePointer(to: expression) { UnsafeRawPointer($0).assumingMemoryBound(to: Same.self).pointee }
    }
    return open(known)
  }

  static func translatable(type: Any.Type) -> (any Translatable.Type)? {
    let address = unsafeBitCast(type, to: UnsafeRawPointer.self)
    guard let generic = generic(address), let witnesses = table[generic] else {
      return type as? any Translatable.Type
    }
    let found = Known(type: address, witnesses: witnesses).translatable
    assert(same(found, type as? any Translatable.Type), "\(type) has other witnesses than its sample")
    return found
  }

  private static func same(_ one: any Translatable.Type, _ other: (any Translatable.Type)?) -> Bool {
    guard let other else { return false }
    let (first, second) = (Known(one), Known(other))
    return first.type == second.type && first.witnesses == second.witnesses
  }

  /// What all types have in common that one generic struct makes: the second word of each says where it stands.
  private static func generic(_ type: UnsafeRawPointer) -> UnsafeRawPointer? {
    let structKind = 0x200
    guard type.load(as: Int.self) == structKind else { return nil }
    return type.load(fromByteOffset: MemoryLayout<Int>.size, as: UnsafeRawPointer.self)
  }

  // Never changed once it is made; addresses are not marked as what can be sent.
  nonisolated(unsafe) private static let table: [UnsafeRawPointer: UnsafeRawPointer] = {
    var table: [UnsafeRawPointer: UnsafeRawPointer] = [:]
    for sample in samples {
      let known = Known(sample)
      if let generic = generic(known.type) { table[generic] = known.witnesses }
    }
    return table
  }()

  private typealias Flag = PredicateExpressions.Value<Bool>
  private typealias Number = PredicateExpressions.Value<Int>
  private typealias Real = PredicateExpressions.Value<Double>
  private typealias Text = PredicateExpressions.Value<String>
  private typealias Perhaps = PredicateExpressions.Value<Int?>
  private typealias List = PredicateExpressions.Value<[Int]>
  private typealias Pairs = PredicateExpressions.Value<[Int: Int]>

  private static var samples: [any Translatable.Type] {
    [
      PredicateExpressions.Variable<Int>.self, Number.self, PredicateExpressions.NilLiteral<Int>.self,
      PredicateExpressions.KeyPath<Text, Int>.self, PredicateExpressions.Equal<Number, Number>.self,
      PredicateExpressions.NotEqual<Number, Number>.self, PredicateExpressions.Comparison<Number, Number>.self,
      PredicateExpressions.Conjunction<Flag, Flag>.self, PredicateExpressions.Disjunction<Flag, Flag>.self,
      PredicateExpressions.Negation<Flag>.self, PredicateExpressions.Conditional<Flag, Number, Number>.self,
      PredicateExpressions.NilCoalesce<Perhaps, Number>.self, PredicateExpressions.ForcedUnwrap<Perhaps, Int>.self,
      PredicateExpressions.OptionalFlatMap<Perhaps, Int, Number, Int>.self,
      PredicateExpressions.Arithmetic<Number, Number>.self, PredicateExpressions.IntDivision<Number, Number>.self,
      PredicateExpressions.IntRemainder<Number, Number>.self, PredicateExpressions.FloatDivision<Real, Real>.self,
      PredicateExpressions.UnaryMinus<Number>.self, PredicateExpressions.Range<Number, Number>.self,
      PredicateExpressions.ClosedRange<Number, Number>.self,
      PredicateExpressions.RangeExpressionContains<PredicateExpressions.ClosedRange<Number, Number>, Number>.self,
      PredicateExpressions.SequenceContains<List, Number>.self,
      PredicateExpressions.SequenceContainsWhere<List, Flag>.self,
      PredicateExpressions.SequenceAllSatisfy<List, Flag>.self, PredicateExpressions.Filter<List, Flag>.self,
      PredicateExpressions.SequenceMaximum<List>.self, PredicateExpressions.SequenceMinimum<List>.self,
      PredicateExpressions.SequenceStartsWith<Text, Text>.self,
      PredicateExpressions.CollectionContainsCollection<Text, Text>.self,
      PredicateExpressions.CollectionIndexSubscript<List, Number>.self,
      PredicateExpressions.DictionaryKeySubscript<Pairs, Number, Int>.self,
      PredicateExpressions.DictionaryKeyDefaultValueSubscript<Pairs, Number, Number>.self,
      PredicateExpressions.TypeCheck<Number, Int>.self, PredicateExpressions.ConditionalCast<Number, Int>.self,
      PredicateExpressions.ForceCast<Number, Int>.self, PredicateExpressions.TextEdge<Text, Text>.self,
      PredicateExpressions.TextInCase<Text>.self,
    ]
  }
}
