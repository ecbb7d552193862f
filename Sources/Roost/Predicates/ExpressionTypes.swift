internal import Foundation
internal import RoostFile

/// Finds what Roost knows of an expression's type.
///
/// A cast does that too. But each new type that is made of others is looked for among all conformances of all libraries, which
/// takes some hundred thousand instructions a type, and a predicate consists of ten. All types that are made by one generic type
/// share their witnesses here, so those of a sample serve, which is known by the name of the generic type. What has no sample is cast;
/// a debug build casts everything, and compares.
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
    guard let generic = generic(address), let witnesses = witnesses(generic) else {
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

  /// What a type's descriptor says of its name: flags, where it stands in, and then how far away the name is.
  private static func name(_ generic: UnsafeRawPointer) -> String {
    let place = generic + 8
    let distance = Int(place.loadUnaligned(as: Int32.self))
    return String(cString: (place + distance).assumingMemoryBound(to: CChar.self))
  }

  /// The witnesses that all types of a generic one share; nil where there is no sample of it.
  ///
  /// A sample is made when a type of its kind is met first: all of them together take millions of instructions.
  private static func witnesses(_ generic: UnsafeRawPointer) -> UnsafeRawPointer? {
    if let known = table.lock.withLock({ table.entries.first { $0.generic == generic } }) { return known.witnesses }
    var found: UnsafeRawPointer?
    if let sample = sample(name(generic)) {
      let known = Known(sample)
      // Another module may have a type of that name.
      if self.generic(known.type) == generic { found = known.witnesses }
    }
    table.lock.withLock { table.entries.append(Entry(generic: generic, witnesses: found)) }
    return found
  }

  /// Unchecked because of what is found, which is read and written under the lock.
  private final class Table: @unchecked Sendable {
    let lock = Lock()
    // As many as there are kinds of expressions. A dictionary's own types would cost more than all look-ups.
    var entries: [Entry] = []
  }

  private struct Entry {
    var generic: UnsafeRawPointer
    var witnesses: UnsafeRawPointer?
  }

  private static let table = Table()

  private typealias Flag = PredicateExpressions.Value<Bool>
  private typealias Number = PredicateExpressions.Value<Int>
  private typealias Real = PredicateExpressions.Value<Double>
  private typealias Text = PredicateExpressions.Value<String>
  private typealias Perhaps = PredicateExpressions.Value<Int?>
  private typealias List = PredicateExpressions.Value<[Int]>
  private typealias Pairs = PredicateExpressions.Value<[Int: Int]>

  private static func sample(_ name: String) -> (any Translatable.Type)? {
    switch name {
    case "Value": Number.self
    case "Variable": PredicateExpressions.Variable<Int>.self
    case "NilLiteral": PredicateExpressions.NilLiteral<Int>.self
    case "KeyPath": PredicateExpressions.KeyPath<Text, Int>.self
    case "Equal": PredicateExpressions.Equal<Number, Number>.self
    case "NotEqual": PredicateExpressions.NotEqual<Number, Number>.self
    case "Comparison": PredicateExpressions.Comparison<Number, Number>.self
    case "Conjunction": PredicateExpressions.Conjunction<Flag, Flag>.self
    case "Disjunction": PredicateExpressions.Disjunction<Flag, Flag>.self
    case "Negation": PredicateExpressions.Negation<Flag>.self
    case "Conditional": PredicateExpressions.Conditional<Flag, Number, Number>.self
    case "NilCoalesce": PredicateExpressions.NilCoalesce<Perhaps, Number>.self
    case "ForcedUnwrap": PredicateExpressions.ForcedUnwrap<Perhaps, Int>.self
    case "OptionalFlatMap": PredicateExpressions.OptionalFlatMap<Perhaps, Int, Number, Int>.self
    case "Arithmetic": PredicateExpressions.Arithmetic<Number, Number>.self
    case "IntDivision": PredicateExpressions.IntDivision<Number, Number>.self
    case "IntRemainder": PredicateExpressions.IntRemainder<Number, Number>.self
    case "FloatDivision": PredicateExpressions.FloatDivision<Real, Real>.self
    case "UnaryMinus": PredicateExpressions.UnaryMinus<Number>.self
    case "Range": PredicateExpressions.Range<Number, Number>.self
    case "ClosedRange": PredicateExpressions.ClosedRange<Number, Number>.self
    case "RangeExpressionContains":
      PredicateExpressions.RangeExpressionContains<PredicateExpressions.ClosedRange<Number, Number>, Number>.self
    case "SequenceContains": PredicateExpressions.SequenceContains<List, Number>.self
    case "SequenceContainsWhere": PredicateExpressions.SequenceContainsWhere<List, Flag>.self
    case "SequenceAllSatisfy": PredicateExpressions.SequenceAllSatisfy<List, Flag>.self
    case "Filter": PredicateExpressions.Filter<List, Flag>.self
    case "SequenceMaximum": PredicateExpressions.SequenceMaximum<List>.self
    case "SequenceMinimum": PredicateExpressions.SequenceMinimum<List>.self
    case "SequenceStartsWith": PredicateExpressions.SequenceStartsWith<Text, Text>.self
    case "CollectionContainsCollection": PredicateExpressions.CollectionContainsCollection<Text, Text>.self
    case "CollectionIndexSubscript": PredicateExpressions.CollectionIndexSubscript<List, Number>.self
    case "DictionaryKeySubscript": PredicateExpressions.DictionaryKeySubscript<Pairs, Number, Int>.self
    case "DictionaryKeyDefaultValueSubscript":
      PredicateExpressions.DictionaryKeyDefaultValueSubscript<Pairs, Number, Number>.self
    case "TypeCheck": PredicateExpressions.TypeCheck<Number, Int>.self
    case "ConditionalCast": PredicateExpressions.ConditionalCast<Number, Int>.self
    case "ForceCast": PredicateExpressions.ForceCast<Number, Int>.self
    case "TextEdge": PredicateExpressions.TextEdge<Text, Text>.self
    case "TextInCase": PredicateExpressions.TextInCase<Text>.self
    default: nil
    }
  }
}
