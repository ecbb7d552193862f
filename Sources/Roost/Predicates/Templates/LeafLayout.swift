internal import Foundation
internal import RoostGraph

/// Where that stands in a predicate's expression which its type does not tell: values, key paths, variables and signs.
///
/// An expression is a struct of structs without a pointer in between, so each leaf has one place in it. To look there takes a few
/// instructions; to ask each part what it is takes hundreds, because generic types must be looked up.
struct LeafLayout: Sendable {
  private(set) var values: [any CapturedLeaf] = []
  private(set) var keyPaths: [Int] = []
  private(set) var variables: [Int] = []
  /// Which comparison, or which arithmetic: a byte each.
  private(set) var signs: [Int] = []
  /// Whether every part of the type is known.
  private(set) var isKnown = true

  /// More values than this are not worth remembering.
  private static let mostValues = 64

  /// The layout of a whole expression.
  init<Whole: PredicateExpression>(of type: Whole.Type) {
    add(type, at: 0, 0)
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

  mutating func addVariable(at offset: Int, _ part: Int?) {
    guard let part, MemoryLayout<PredicateExpressions.VariableID>.size == MemoryLayout<UInt>.size else {
      isKnown = false
      return
    }
    variables.append(offset + part)
  }

  mutating func addKeyPath(at offset: Int, _ part: Int?) {
    guard let part else {
      isKnown = false
      return
    }
    keyPaths.append(offset + part)
  }

  mutating func addSign<Sign>(_ type: Sign.Type, at offset: Int, _ part: Int?) {
    guard let part, MemoryLayout<Sign>.size == 1 else {
      isKnown = false
      return
    }
    signs.append(offset + part)
  }

  mutating func addValue<Value>(_ type: Value.Type, at offset: Int, _ part: Int?) {
    // What predicates mostly hold is known without asking what else the type conforms to.
    if let part, let plain = PlainType.of(type) {
      values.append(PlainLeaf(plain, at: offset + part))
      return
    }
    if let part, IdentifierLeaf.isKnown(type) {
      values.append(IdentifierLeaf(type, at: offset + part))
      return
    }
    if let part, Self.ranges.contains(MetadataKind.structName(type) ?? ""),
      let range = type as? any CapturedRange.Type, let bounds = try? range.leaves(at: offset + part)
    {
      values += bounds
      return
    }
    guard let part, Constant.isComparedByValue(type), let codable = type as? any Codable.Type,
      let leaf = Self.leaf(codable, at: offset + part)
    else {
      isKnown = false
      return
    }
    values.append(leaf)
  }

  private static let ranges: Set<String> = [
    "Range", "ClosedRange", "PartialRangeFrom", "PartialRangeThrough", "PartialRangeUpTo",
  ]

  private static func leaf<Value: Codable>(_ type: Value.Type, at offset: Int) -> (any CapturedLeaf)? {
    (try? CoderShelf.shared.coder(of: type)).map { ValueLeaf($0, at: offset) }
  }
}
