internal import Foundation
internal import RoostGraph

/// Where that stands in a predicate's expression which its type does not tell: values, key paths, variables and signs.
///
/// An expression is a struct of structs without a pointer in between, so each leaf has one place in it; but for other predicates that it evaluates,
/// which are looked at by themselves. To look there takes a few
/// instructions; to ask each part what it is takes hundreds, because generic types must be looked up.
struct LeafLayout: Sendable {
  /// A place in one of the expressions: the outermost has the number 0, those that it evaluates the next ones.
  struct Place: Sendable {
    let base: Int
    let offset: Int

    @inline(__always)
    func address(_ bases: Bases) -> UnsafeRawPointer { bases[base] + offset }
  }

  struct Leaf: Sendable {
    let base: Int
    let leaf: any CapturedLeaf
  }

  /// Where each expression begins.
  typealias Bases = UnsafePointer<UnsafeRawPointer>

  private(set) var values: [Leaf] = []
  private(set) var keyPaths: [Place] = []
  private(set) var variables: [Place] = []
  /// Which comparison, or which arithmetic: a byte each.
  private(set) var signs: [Place] = []
  /// Where the outermost evaluates others.
  private(set) var nested: [NestedPlace] = []
  /// The types of those, while the layout of all together is made.
  private var groups: NestedGroups?
  private var base = 0
  private var lastBase = 0
  /// Whether every part of the type is known.
  private(set) var isKnown = true

  /// More values than this are not worth remembering.
  private static let mostValues = 64

  /// The layout of an expression, without those that it evaluates.
  init(of type: any PredicateExpression.Type) {
    add(any: type, at: 0)
    if values.count > Self.mostValues { isKnown = false }
  }

  /// The layout of an expression and of those that it evaluates, which are of these types.
  init(of type: any PredicateExpression.Type, _ groups: NestedGroups) {
    self.groups = groups
    add(any: type, at: 0)
    self.groups = nil
    if values.count > Self.mostValues { isKnown = false }
  }

  /// There is a part of which nobody knows where its parts stand.
  mutating func giveUp() { isKnown = false }

  // `part` says where a part begins in what encloses it; nil where that is not to be known.

  mutating func add<Part>(_ type: Part.Type, at offset: Int, _ part: Int?) {
    guard isKnown, let part, let known = ExpressionTypes.translatable(type: type) else {
      isKnown = false
      return
    }
    known.lay(&self, at: offset + part)
  }

  private mutating func add(any type: any PredicateExpression.Type, at offset: Int) {
    guard isKnown, let known = ExpressionTypes.translatable(type: type) else {
      isKnown = false
      return
    }
    known.lay(&self, at: offset)
  }

  /// There are other predicates.
  mutating func addPredicates(
    at offset: Int, _ part: Int?, _ read: @escaping @Sendable (UnsafeRawPointer) -> [NestedPredicate]?
  ) {
    guard let part else {
      isKnown = false
      return
    }
    if base == 0 { nested.append(NestedPlace(offset: offset + part, read: read)) }
    guard let count = groups?.nextCount() else { return }
    let outer = base
    for _ in 0..<count {
      guard isKnown, let type = groups?.nextType() else { return }
      lastBase += 1
      base = lastBase
      variables.append(Place(base: base, offset: 0))
      add(any: type, at: NestedPredicate.expressionOffset)
    }
    base = outer
  }

  mutating func addVariable(at offset: Int, _ part: Int?) {
    guard let part, MemoryLayout<PredicateExpressions.VariableID>.size == MemoryLayout<UInt>.size else {
      isKnown = false
      return
    }
    variables.append(Place(base: base, offset: offset + part))
  }

  mutating func addKeyPath(at offset: Int, _ part: Int?) {
    guard let part else {
      isKnown = false
      return
    }
    keyPaths.append(Place(base: base, offset: offset + part))
  }

  mutating func addSign<Sign>(_ type: Sign.Type, at offset: Int, _ part: Int?) {
    guard let part, MemoryLayout<Sign>.size == 1 else {
      isKnown = false
      return
    }
    signs.append(Place(base: base, offset: offset + part))
  }

  mutating func addValue<Value>(_ type: Value.Type, at offset: Int, _ part: Int?) {
    // What predicates mostly hold is known without asking what else the type conforms to.
    if let part, let plain = PlainType.of(type) {
      append(PlainLeaf(plain, at: offset + part))
      return
    }
    if let part, IdentifierLeaf.isKnown(type) {
      append(IdentifierLeaf(type, at: offset + part))
      return
    }
    if let part, let range = type as? any CapturedRange.Type, let bounds = try? range.leaves(at: offset + part) {
      for bound in bounds { append(bound) }
      return
    }
    guard let part, Constant.isComparedByValue(type), let codable = type as? any Codable.Type,
      let leaf = Self.leaf(codable, at: offset + part)
    else {
      isKnown = false
      return
    }
    append(leaf)
  }

  private mutating func append(_ leaf: any CapturedLeaf) { values.append(Leaf(base: base, leaf: leaf)) }

  private static func leaf<Value: Codable>(_ type: Value.Type, at offset: Int) -> (any CapturedLeaf)? {
    (try? CoderShelf.shared.coder(of: type)).map { ValueLeaf($0, at: offset) }
  }
}
