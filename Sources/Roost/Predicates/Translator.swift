internal import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// Why the engine has no words for an expression. It is then computed in memory, so nobody sees this.
struct Untranslatable: Error {
  let expression: String

  init(_ expression: Any) { self.expression = "\(type(of: expression))" }
}

/// What an expression is to the engine.
struct TranslatedPart {
  enum Meaning {
    case value
    /// A row, which may be none where the expression is optional.
    case row(EntityMap)
    case rows(EntityMap)
    /// A struct that stands in a collection.
    case structure(AnyCoder)
    /// A struct that is stored as its parts.
    case parts(Parts)
    /// Something from outside the predicate, which has a form here only beside something else.
    case captured(Captured)
  }

  struct Parts {
    var base: Condition
    var map: EntityMap
    var path: String
    var coder: AnyCoder
  }

  struct Captured {
    private let content: Any
    let type: Any.Type
    /// Which of the predicate's leaves it is, where a template is made; else nil.
    let leaf: Int?
    private let leaves: TemplateLeaves?

    init(value: Any, type: Any.Type, leaf: Int? = nil, _ leaves: TemplateLeaves? = nil) {
      content = value
      self.type = type
      self.leaf = leaf
      self.leaves = leaves
    }

    /// For whoever does something with it that another value would do otherwise: it is then part of the translation.
    var value: Any {
      leaves?.isTouched = true
      return content
    }

    /// The leaf, if it is an identifier, or a list of them; it stands for rows of the map from then on.
    func rowLeaf(of map: EntityMap) -> Int? {
      guard let leaf, let leaves, IdentifierLeaf.isKnown(type) else { return nil }
      leaves.stands(leaf, for: map)
      return leaf
    }

    /// Notes what is stored of the value, so that a template can be compared with it.
    func note(_ value: Value) {
      if let leaf { leaves?.note(value, leaf) }
    }

    /// Another value that is nil, or not, as this one is, would be taken in the same way.
    var isNil: Bool { FlatValue.of(content) == nil }
    /// For making a constant of it, in whose place another one may be put.
    var constant: Any { content }
  }

  private(set) var meaning: Meaning
  /// Of no use for parts and what is captured.
  var expression: Condition

  init(_ expression: Condition, _ meaning: Meaning = .value) {
    self.expression = expression
    self.meaning = meaning
  }

  init<Value>(captured value: Value) { self.init(Captured(value: value, type: Value.self)) }

  init(_ captured: Captured) {
    meaning = .captured(captured)
    expression = .constant(.null, .optional(.bool))
  }

  init(_ parts: Parts) {
    meaning = .parts(parts)
    expression = .constant(.null, .optional(.bool))
  }

  var captured: Captured? { if case .captured(let captured) = meaning { captured } else { nil } }
  var row: EntityMap? { if case .row(let map) = meaning { map } else { nil } }
  var rows: EntityMap? { if case .rows(let map) = meaning { map } else { nil } }
}

extension TranslatedPart.Meaning {
  /// What a value of a type is that stands in a collection.
  static func element(of type: Any.Type) -> TranslatedPart.Meaning {
    guard let codable = type as? any Codable.Type else { return .value }
    guard let coder = try? CoderShelf.shared.coder(any: codable) else { return .value }
    return coder.parts.isEmpty ? .value : .structure(coder)
  }
}

/// Finds the engine's words for one part of a predicate.
final class Translator {
  let graph: GraphContext
  // There are few, and a dictionary's own types would cost more than to go through them.
  private var bindings: [Binding]
  private var lastVariable = 0
  private var depth = 0
  /// What is deeper is left to memory, which refuses it, so that nothing runs out of stack.
  static let deepest = 200
  /// The entities to which relationships in the part lead.
  private(set) var passed: [EntityMap] = []
  /// References that always lead to a row.
  private var sure: Set<Condition> = []
  private let leaves: TemplateLeaves?

  init(
    _ map: EntityMap, _ graph: GraphContext, variable: PredicateExpressions.VariableID,
    leaves: TemplateLeaves? = nil
  ) {
    self.graph = graph
    self.leaves = leaves
    bindings = [Binding(key: variable, piece: TranslatedPart(.row, .row(map)))]
  }

  private struct Binding {
    var key: PredicateExpressions.VariableID
    var piece: TranslatedPart
  }

  func condition(_ expression: any PredicateExpression<Bool>) throws -> Condition { try value(piece(expression)) }

  func piece<Expression: PredicateExpression>(_ expression: Expression) throws -> TranslatedPart {
    guard depth < Self.deepest, let known = ExpressionTypes.translatable(expression) else {
      throw Untranslatable(expression)
    }
    depth += 1
    defer { depth -= 1 }
    return try known.piece(self)
  }

  /// The engine's words for an expression that yields one value.
  func value<Expression: PredicateExpression>(of expression: Expression) throws -> Condition {
    try value(piece(expression))
  }

  func value(_ piece: TranslatedPart) throws -> Condition {
    switch piece.meaning {
    case .value, .row, .rows, .structure: return piece.expression
    case .captured(let captured): return try Constant.make(captured)
    case .parts: throw Untranslatable(piece)
    }
  }

  /// What stands in the predicate itself.
  func piece<Value>(captured value: Value) -> TranslatedPart {
    TranslatedPart(TranslatedPart.Captured(value: value, type: Value.self, leaf: leaves?.next(Value.self), leaves))
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

  /// Binds a variable while something is done.
  func binding<Result>(
    _ key: PredicateExpressions.VariableID, to piece: TranslatedPart, _ body: () throws -> Result
  ) rethrows -> Result {
    let count = bindings.count
    bind(key, piece)
    defer { bindings.removeLast(bindings.count - count) }
    return try body()
  }

  /// A number for a variable of the engine's.
  func newVariable() -> Int {
    lastVariable += 1
    return lastVariable
  }

  func passes(_ map: EntityMap) { passed.append(map) }

  // MARK: Rows

  /// Whether an expression yields a row in any case.
  func isThere(_ row: Condition) -> Bool {
    switch row {
    case .variable, .unwrap: true
    case .field: sure.contains(row)
    default: false
    }
  }

  /// Where a reference of a row leads.
  func reference(_ base: Condition, _ field: FieldID, map: EntityMap, property: Int) -> Condition {
    let found = Condition.field(base, field)
    guard case .toOne(let link) = map.type.properties[property].storage, !link.isOptional, isThere(base) else {
      return found
    }
    // Only rows of other classes lead nowhere.
    if map.type.isAdded(property) { return .unwrap(found) }
    sure.insert(found)
    return found
  }
}
