internal import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// Thrown if the engine cannot express an expression. The expression is then computed in memory, so
/// the program never sees this error.
struct Untranslatable: Error {
  let expression: String

  init(_ expression: Any) { self.expression = "\(type(of: expression))" }
}

extension Operand {
  /// Whether its values are strings. The engine knows no other type of text.
  fileprivate var isText: Bool { output == String.self }
}

/// Translates one part of a predicate into a condition of the engine.
final class Translator {
  let graph: GraphContext
  // There are few, and scanning them is faster than a dictionary.
  private var bindings: [Binding]
  private var lastVariable = 0
  private var depth = 0
  /// Deeper expressions are left to memory, which refuses them, so that the stack does not
  /// overflow.
  static let deepest = 200
  /// The entities that relationships in the part reference.
  private(set) var passed: [EntityMap] = []
  /// References that always have a row.
  private var sure: Set<Condition> = []
  private let leaves: TemplateLeaves?
  /// Numbers for rows that the working set does not have yet.
  let unknown: QuestionRows?

  init(
    _ map: EntityMap, _ graph: GraphContext, variable: PredicateExpressions.VariableID,
    leaves: TemplateLeaves? = nil, unknown: QuestionRows? = nil
  ) {
    self.graph = graph
    self.leaves = leaves
    self.unknown = unknown
    bindings = [Binding(key: variable, piece: TranslatedPart(.row, .row(map)))]
  }

  private struct Binding {
    var key: PredicateExpressions.VariableID
    var piece: TranslatedPart
  }

  func condition(_ operand: Operand) throws -> Condition { try value(piece(operand)) }

  /// Translates an expression that has one value.
  func value(of operand: Operand) throws -> Condition { try value(piece(operand)) }

  func piece(_ operand: Operand) throws -> TranslatedPart {
    guard depth < Self.deepest else { throw Untranslatable(operand.expression) }
    depth += 1
    defer { depth -= 1 }
    switch operand.node {
    case .variable(let key): return try binding(key)
    case .value(let value): return piece(captured: value)
    case .property(let property): return try piece(property)

    case .joint(.and, _, _): return TranslatedPart(.and(try operand.operands(of: .and).map(condition)))
    case .joint(.or, _, _): return TranslatedPart(.or(try operand.operands(of: .or).map(condition)))
    case .not(let wrapped): return TranslatedPart(.not(try value(of: wrapped)))
    case .conditional(let test, let one, let other): return try choice(test, one, other: other)
    case .equality(let comparison, let one, let other):
      return TranslatedPart(try equality(comparison, one, other: other))
    case .comparison(let comparison?, let one, let other):
      guard Constant.isSortedByValue(one.output) else { break }
      return TranslatedPart(.compare(comparison, try value(of: one), try value(of: other)))
    case .within(let range, let element): return try within(range, element)

    case .coalesce(let one, let other): return try coalesce(one, other)
    case .unwrap(let inner): return try unwrap(inner, as: operand.output)
    case .flatMap(let wrapped, let variable, let transform, let result):
      return try flatMap(wrapped, transform, binding: variable, result: result)
    case .cast(let cast, let input, let type): return try self.cast(cast, input, to: type)

    case .arithmetic(let operation?, let one, let other):
      return TranslatedPart(.arithmetic(operation, try value(of: one), try value(of: other)))
    case .negative(let wrapped): return TranslatedPart(.negate(try value(of: wrapped)))

    case .contains(let list, let element): return try contains(list, element)
    case .closure(let closure, let list, let variable, let body):
      return try piece(closure, list, binding: variable, body: body)
    case .extreme(let extreme, let list, let element):
      guard Constant.isSortedByValue(element) else { break }
      let values = try value(of: list)
      return TranslatedPart(extreme == .maximum ? .maximum(values) : .minimum(values))
    case .aggregate(let aggregation, let list, let variable, let body):
      return try aggregate(aggregation, list, binding: variable, body: body)
    case .element(let list, let index): return try element(of: list, at: index, type: operand.output)
    case .lookup(let table, let key): return TranslatedPart(try lookup(table, key))
    case .lookupOr(let table, let key, let instead):
      return TranslatedPart(.coalesce(try lookup(table, key), try value(of: instead)))

    case .text(let test, let one, let other):
      guard one.isText, other.isText else { break }
      return TranslatedPart(.text(test, try value(of: one), try value(of: other)))
    case .order(let order, let one, let other):
      guard one.isText, other.isText else { break }
      return TranslatedPart(.textOrder(order, try value(of: one), try value(of: other)))
    case .changed(let change, let root):
      guard root.isText else { break }
      return TranslatedPart(.changed(change, try value(of: root)))
    case .matches(let subject, let regex):
      guard subject.isText, let known = try piece(regex).captured?.value as? PredicateExpressions.PredicateRegex
      else { break }
      return TranslatedPart(.matches(try value(of: subject), known.stringRepresentation))

    case .search(let row, let question): return try search(row, question)

    case .evaluation(let input, let nested): return try evaluation(input, nested)
    case .predicates(let joint, let variable, let nested, _): return try predicates(joint, variable, of: nested)
    case .comparison(nil, _, _), .arithmetic(nil, _, _), .range, .slice, .foundation, .unknown: break
    }
    throw Untranslatable(operand.expression)
  }

  func value(_ piece: TranslatedPart) throws -> Condition {
    switch piece.meaning {
    case .value, .row, .rows, .structure: return piece.expression
    case .captured(let captured): return try Constant.make(captured)
    case .parts, .moment: throw Untranslatable(piece)
    }
  }

  /// Translates a captured value or a literal.
  private func piece(captured value: CapturedValue) -> TranslatedPart {
    guard let leaves, let place = value.place else { return TranslatedPart(captured: value.value, value.type) }
    let leaf = leaves.leaf(value.type, at: place)
    return TranslatedPart(TranslatedPart.Captured(value: value.value, type: value.type, leaf: leaf, leaves))
  }

  // MARK: Evaluated predicates

  /// Translates another predicate, or an expression, in the place of the call.
  private func evaluation(_ input: Operand, _ nested: NestedExpressions) throws -> TranslatedPart {
    let (input, member) = (try piece(input), nested.members[0])
    bind(member.variable, input)
    return try piece(operand(0, of: nested))
  }

  private func predicates(
    _ joint: ExpressionNode.Joint, _ variable: Operand, of nested: NestedExpressions
  ) throws -> TranslatedPart {
    var parts: [Condition] = []
    for number in nested.members.indices {
      let condition = try binding(nested.members[number].variable, to: piece(variable)) {
        try self.condition(operand(number, of: nested))
      }
      switch (joint, condition) {
      case (.and, .and(let inner)), (.or, .or(let inner)): parts += inner
      default: parts.append(condition)
      }
    }
    if parts.count == 1 { return TranslatedPart(parts[0]) }
    if parts.isEmpty { return TranslatedPart(.constant(.bool(joint == .and), .plain(.bool))) }
    return TranslatedPart(joint == .and ? .and(parts) : .or(parts))
  }

  private func operand(_ number: Int, of nested: NestedExpressions) -> Operand {
    let base = leaves.map { $0.base(nested.first + number, at: nested.place) } ?? 0
    let place = ExpressionPlace(base: base, offset: NestedPredicate.expressionOffset)
    return Operand(nested.members[number].expression, at: place)
  }

  // MARK: Variables

  func binding(_ key: PredicateExpressions.VariableID) throws -> TranslatedPart {
    guard let found = bindings.last(where: { $0.key == key }) else { throw Untranslatable(key) }
    return found.piece
  }

  func bind(_ key: PredicateExpressions.VariableID, _ piece: TranslatedPart) {
    if let known = bindings.firstIndex(where: { $0.key == key }) {
      bindings[known].piece = piece
    } else {
      bindings.append(Binding(key: key, piece: piece))
    }
  }

  /// Binds a variable while a body runs.
  func binding<Result>(
    _ key: PredicateExpressions.VariableID, to piece: TranslatedPart, _ body: () throws -> Result
  ) rethrows -> Result {
    let count = bindings.count
    bind(key, piece)
    defer { bindings.removeLast(bindings.count - count) }
    return try body()
  }

  /// Returns a new number of a variable of the engine.
  func newVariable() -> Int {
    lastVariable += 1
    return lastVariable
  }

  func passes(_ map: EntityMap) { passed.append(map) }

  // MARK: Rows

  /// Whether an expression always has a row.
  func isThere(_ row: Condition) -> Bool {
    switch row {
    case .variable, .unwrap: true
    case .field: sure.contains(row)
    default: false
    }
  }

  /// Translates a reference of a row.
  func reference(_ base: Condition, _ field: FieldID, map: EntityMap, property: Int) -> Condition {
    let found = Condition.field(base, field)
    guard case .toOne(let link) = map.type.properties[property].storage, !link.isOptional, isThere(base) else {
      return found
    }
    // Only rows of other classes have no reference.
    if map.type.isAdded(property) { return .unwrap(found) }
    sure.insert(found)
    return found
  }
}
