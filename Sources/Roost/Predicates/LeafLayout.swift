internal import Foundation
internal import RoostGraph

/// The positions of those parts of a predicate's expression that its type does not determine:
/// values, key paths, variables and operators.
///
/// An expression is a struct of structs without pointers between them, so each leaf has one
/// position in it. Other predicates that it evaluates are in other memory, and are read
/// separately. Reading a position takes a few instructions; asking each part takes hundreds,
/// because generic types must be looked up.
struct LeafLayout: Sendable {
  struct Leaf: Sendable {
    let place: ExpressionPlace
    let leaf: any CapturedLeaf
  }

  /// The address of each expression.
  typealias Bases = UnsafePointer<UnsafeRawPointer>

  private(set) var values: [Leaf] = []
  private(set) var keyPaths: [ExpressionPlace] = []
  private(set) var variables: [ExpressionPlace] = []
  /// The positions of comparison and arithmetic operators, one byte each.
  private(set) var signs: [ExpressionPlace] = []
  /// The positions of evaluated expressions, and the base of each of them.
  private(set) var nested: [(place: NestedPlace, bases: [Int])] = []
  /// Whether the layout also has the parts of the evaluated expressions.
  private let isWhole: Bool
  private var lastBase = 0
  /// Whether every part of the type is known.
  private(set) var isKnown = true

  /// Expressions with more values than this are not remembered.
  private static let mostValues = 64

  /// - Parameter isWhole: whether the layout also has the expressions that this one evaluates.
  init(of type: any PredicateExpression.Type, at address: UnsafeRawPointer, isWhole: Bool = false) {
    self.isWhole = isWhole
    add(type, address, at: .start)
    if values.count > Self.mostValues { isKnown = false }
  }

  /// Returns the base of one of the expressions that are evaluated at a position. Expressions that
  /// the earlier ones evaluate come between.
  func base(_ number: Int, at place: ExpressionPlace) -> Int? {
    guard let bases = nested.first(where: { $0.place.place == place })?.bases, bases.indices.contains(number) else {
      return nil
    }
    return bases[number]
  }

  private mutating func add<Whole: PredicateExpression>(_ expression: Whole, at place: ExpressionPlace) {
    withUnsafePointer(to: expression) { add(Whole.self, UnsafeRawPointer($0), at: place) }
  }

  private mutating func add(
    _ type: any PredicateExpression.Type, _ address: UnsafeRawPointer, at place: ExpressionPlace
  ) {
    guard isKnown else { return }
    for part in ExpressionTypes.parts(of: type, address, at: place) {
      switch part {
      case .operand(let type, let address, let place): add(type, address, at: place)
      case .value(let type, let place): addValue(type, at: place)
      case .variable(let place):
        variables.append(place)
        if MemoryLayout<PredicateExpressions.VariableID>.size != MemoryLayout<UInt>.size { isKnown = false }
      case .keyPath(let place): keyPaths.append(place)
      case .sign(let place): signs.append(place)
      case .nested(let expressions): add(expressions)
      case .hidden: isKnown = false
      }
    }
  }

  private mutating func add(_ expressions: NestedExpressions) {
    let index = nested.count
    nested.append((NestedPlace(place: expressions.place, read: expressions.read), []))
    guard isWhole else { return }
    for member in expressions.members {
      lastBase += 1
      let base = lastBase
      nested[index].bases.append(base)
      variables.append(ExpressionPlace(base: base))
      add(member.expression, at: ExpressionPlace(base: base, offset: NestedPredicate.expressionOffset))
    }
  }

  private mutating func addValue(_ type: Any.Type, at place: ExpressionPlace) {
    guard let leaves = Self.leaves(type, at: place.offset) else {
      isKnown = false
      return
    }
    for leaf in leaves { values.append(Leaf(place: place, leaf: leaf)) }
  }

  /// Returns the readers of a type's values; `nil` for a type that is not compared by its stored
  /// form.
  private static func leaves(_ type: Any.Type, at offset: Int) -> [any CapturedLeaf]? {
    // The most common types need no further conformance check.
    if let plain = PlainType.of(type) { return [PlainLeaf(plain, at: offset)] }
    if IdentifierLeaf.isKnown(type) { return [IdentifierLeaf(type, at: offset)] }
    if let range = type as? any CapturedRange.Type, let bounds = try? range.leaves(at: offset) { return bounds }
    guard Constant.isComparedByValue(type), let codable = type as? any Codable.Type else { return nil }
    func open<Value: Codable>(_ type: Value.Type) -> [any CapturedLeaf]? {
      (try? CoderShelf.shared.coder(of: type)).map { [ValueLeaf($0, at: offset)] }
    }
    return open(codable)
  }
}
