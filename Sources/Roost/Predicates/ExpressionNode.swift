internal import Foundation
internal import RoostQuery

/// One level of a predicate's expression: what it does, its operands in order, and its own values.
///
/// A predicate is a tree of Foundation's generic structs. Each type of these is described once, by ``Translatable/node(_:)``: a
/// function that reads the operands from the struct's properties and names the case of this enum. The engine's condition
/// (``Translator``), the text (``PredicateText``) and the memory layout (``LeafLayout``) are functions of the node. Every operand
/// and every value carries its place in the whole expression, and the layout knows a value by that place. So the
/// translator may visit operands in any order. Computing in memory stays a method of each type (``Translatable/step(_:)``),
/// because a type's own `==` and `<` need the types.
enum ExpressionNode {
  enum Joint { case and, or }
  enum Closure { case some, all, filter }
  enum Extreme { case minimum, maximum }
  enum Cast { case test, conditional, forced }

  case variable(PredicateExpressions.VariableID)
  case value(CapturedValue)
  case property(PropertyAccess)

  case joint(Joint, Operand, Operand)
  case not(Operand)
  case conditional(Operand, Operand, Operand)
  case equality(Condition.Comparison, Operand, Operand)
  /// `nil` is an operator of a later Foundation.
  case comparison(Condition.Comparison?, Operand, Operand)
  case range(Operand, Operand, isClosed: Bool)
  case within(Operand, Operand)

  case coalesce(Operand, Operand)
  case unwrap(Operand)
  case flatMap(Operand, BoundVariable, Operand, result: Any.Type)
  case cast(Cast, Operand, Any.Type)

  /// `nil` is an operator of a later Foundation.
  case arithmetic(Condition.Arithmetic?, Operand, Operand)
  case negative(Operand)

  case contains(Operand, Operand)
  case closure(Closure, Operand, BoundVariable, Operand)
  case extreme(Extreme, Operand, element: Any.Type)
  case aggregate(Condition.Aggregation, Operand, BoundVariable, Operand)
  case element(Operand, Operand)
  case slice(Operand, Operand)
  case lookup(Operand, key: Operand)
  case lookupOr(Operand, key: Operand, Operand)

  case text(Condition.TextTest, Operand, Operand)
  case order(Condition.TextOrder, Operand, Operand)
  case changed(Condition.TextChange, Operand)
  case matches(Operand, Operand)
  /// A full text search for a model.
  case search(Operand, Operand)

  /// A predicate or expression that is evaluated with the operand.
  case evaluation(Operand, NestedExpressions)
  /// Joined predicates. The function returns each by itself.
  case predicates(Joint, Operand, NestedExpressions, each: () -> [any PredicateExpression])
  /// An expression that Foundation evaluates with any number of values.
  case foundation(Operand)
  /// An expression type of the program.
  case unknown
}

/// The position of a part: the index of its expression (`base`), and its offset in bytes.
///
/// The predicate's own expression has index 0. Expressions that it evaluates are numbered depth
/// first: each comes before those that it evaluates itself.
struct ExpressionPlace: Equatable, Sendable {
  var base = 0
  var offset = 0

  static let start = ExpressionPlace()

  static func + (place: ExpressionPlace, offset: Int) -> ExpressionPlace {
    ExpressionPlace(base: place.base, offset: place.offset + offset)
  }

  @inline(__always)
  func address(_ bases: LeafLayout.Bases) -> UnsafeRawPointer { bases[base] + offset }
}

/// An expression within another one, and its position.
struct Operand {
  let expression: any PredicateExpression
  let place: ExpressionPlace

  init(_ expression: any PredicateExpression, at place: ExpressionPlace = .start) {
    self.expression = expression
    self.place = place
  }

  var node: ExpressionNode { ExpressionTypes.node(expression, at: place) }

  /// A placeholder. A layout needs only the notes of ``Parts``, and no operands.
  static var unread: Operand { Operand(PredicateExpressions.Value(false)) }

  /// The type of its values.
  var output: Any.Type {
    func open<Whole: PredicateExpression>(_ whole: Whole) -> Any.Type { Whole.Output.self }
    return open(expression)
  }
}

/// A captured value.
struct CapturedValue {
  let value: Any
  let type: Any.Type
  /// The position; `nil` if the value is written in the predicate itself.
  let place: ExpressionPlace?
}

/// A variable that an expression binds to a value.
struct BoundVariable {
  let key: PredicateExpressions.VariableID
  let type: Any.Type
}

/// A key path that follows an operand.
struct PropertyAccess {
  let root: Operand
  let keyPath: AnyKeyPath
  /// The property of a collection, if it is one. To find out takes a cast.
  let ofCollection: () -> CollectionProperty?
}

enum CollectionProperty: String { case count, isEmpty, first, last }

/// The predicates, or the expression, that another expression contains.
struct NestedExpressions {
  struct Member {
    let variable: PredicateExpressions.VariableID
    let expression: any PredicateExpression

    init<Input>(_ predicate: Predicate<Input>) {
      (variable, expression) = (predicate.variable.key, predicate.expression)
    }

    init<Input, Output>(_ expression: Foundation.Expression<Input, Output>) {
      (variable, self.expression) = (expression.variable.key, expression.expression)
    }
  }

  let place: ExpressionPlace
  /// The index of `members[0]` among all members of the position.
  var first = 0
  let members: [Member]
  /// Reads the members of another expression of the same type, from the address of the position.
  let read: @Sendable (UnsafeRawPointer) -> [Member]
}

extension ExpressionNode {
  /// The variable at the beginning of a chain of properties, such as `$0.album?.title`; `nil` for
  /// other expressions.
  var chainKey: PredicateExpressions.VariableID? {
    switch self {
    case .variable(let key): key
    // The properties of a struct that is nil are not nil by themselves.
    case .property(let property):
      type(of: property.keyPath).rootType is any PersistentModel.Type ? property.root.node.chainKey : nil
    case .flatMap(let wrapped, let variable, let transform, _):
      transform.node.chainKey == variable.key ? wrapped.node.chainKey : nil
    default: nil
    }
  }

  /// The operands of `&&` or `||`; `nil` for other expressions.
  fileprivate func operands(of joint: Joint, in whole: Operand) -> [Operand]? {
    switch self {
    case .joint(joint, let one, let other): return [one, other]
    case .predicates(joint, _, let nested, let each) where nested.members.count > 1:
      return each().map { Operand($0, at: whole.place) }
    default: return nil
    }
  }
}

extension Operand {
  /// Returns the operands of a chain of `&&`, or of `||`, in order. It uses no recursion, because a
  /// chain may be long.
  func operands(of joint: ExpressionNode.Joint) -> [Operand] {
    var parts: [Operand] = []
    var waiting = [self]
    while let next = waiting.popLast() {
      if let joined = next.node.operands(of: joint, in: next) {
        waiting += joined.reversed()
      } else {
        parts.append(next)
      }
    }
    return parts
  }
}
