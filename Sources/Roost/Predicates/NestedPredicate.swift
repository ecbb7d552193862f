internal import Foundation

/// A copy, in its own memory, of a predicate or expression that another one evaluates.
///
/// The type of the outer expression does not determine the type behind the pointer, so it is read
/// separately.
///
/// ## Layout
/// ```
/// 0    its variable
/// 16   its expression
/// ```
final class NestedPredicate {
  static let expressionOffset = 16

  let type: any PredicateExpression.Type
  let memory: UnsafeRawPointer
  private let end: () -> Void

  convenience init?(_ member: NestedExpressions.Member) { self.init(member.expression, member.variable) }

  /// Returns nil if the expression needs an alignment of more than 16 bytes.
  private init?<Whole: PredicateExpression>(_ expression: Whole, _ variable: PredicateExpressions.VariableID) {
    guard MemoryLayout<Whole>.alignment <= Self.expressionOffset else { return nil }
    type = Whole.self
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: Self.expressionOffset + MemoryLayout<Whole>.size, alignment: Self.expressionOffset)
    memory.storeBytes(of: unsafeBitCast(variable, to: UInt.self), as: UInt.self)
    let place = (memory + Self.expressionOffset).initializeMemory(as: Whole.self, to: expression)
    end = {
      place.deinitialize(count: 1)
      memory.deallocate()
    }
    self.memory = UnsafeRawPointer(memory)
  }

  deinit { end() }
}

/// The position of nested expressions in an expression.
struct NestedPlace: Sendable {
  let place: ExpressionPlace
  let read: @Sendable (UnsafeRawPointer) -> [NestedExpressions.Member]
}

/// The expressions in a tree of evaluated expressions: the address of each, the outermost first,
/// and their types.
struct NestedTree {
  private(set) var bases: [UnsafeRawPointer]
  /// The types in the order of the bases, each after the number of expressions at its position. It
  /// identifies the layout of the whole tree.
  private(set) var key: [Int]
  private var kept: [NestedPredicate] = []

  private static let most = 32

  /// - Parameter layout: the layout of an expression, without those that it evaluates.
  init?(
    _ memory: UnsafeRawPointer, _ type: any PredicateExpression.Type,
    layout: (any PredicateExpression.Type, UnsafeRawPointer) -> LeafLayout
  ) {
    bases = [memory]
    key = [Int(bitPattern: ObjectIdentifier(type))]
    if !add(memory, own: layout(type, memory), layout: layout) { return nil }
  }

  private mutating func add(
    _ memory: UnsafeRawPointer, own: LeafLayout,
    layout: (any PredicateExpression.Type, UnsafeRawPointer) -> LeafLayout
  ) -> Bool {
    guard own.isKnown else { return false }
    for (place, _) in own.nested {
      let members = place.read(memory + place.place.offset)
      let found = members.compactMap { NestedPredicate($0) }
      guard found.count == members.count, bases.count + found.count <= Self.most else { return false }
      key.append(found.count)
      for nested in found {
        kept.append(nested)
        bases.append(nested.memory)
        key.append(Int(bitPattern: ObjectIdentifier(nested.type)))
        let inner = nested.memory + NestedPredicate.expressionOffset
        guard add(inner, own: layout(nested.type, inner), layout: layout) else { return false }
      }
    }
    return true
  }

  /// Calls a closure while all expressions are in memory.
  func withBases<Result>(_ body: (UnsafePointer<UnsafeRawPointer>) throws -> Result) rethrows -> Result {
    try withExtendedLifetime(kept) {
      try bases.withUnsafeBufferPointer { bases in
        guard let start = bases.baseAddress else { preconditionFailure("the outermost is always there") }
        return try body(start)
      }
    }
  }
}
