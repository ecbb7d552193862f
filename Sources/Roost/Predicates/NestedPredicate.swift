internal import Foundation

/// A predicate, or an expression, that another one evaluates: a copy of it, in memory of its own.
///
/// It stands behind a pointer of whose type the other one's type says nothing, so it is looked at by itself.
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

  /// Nil where the expression must stand at a larger multiple than of 16 bytes.
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

/// Where others stand in an expression.
struct NestedPlace: Sendable {
  let place: ExpressionPlace
  let read: @Sendable (UnsafeRawPointer) -> [NestedExpressions.Member]
}

/// What lies in an expression and in those that it evaluates: where each begins, the outermost first, and of which types they are.
struct NestedTree {
  private(set) var bases: [UnsafeRawPointer]
  /// The types in the order of the bases, behind the number of those that stand at one place. It says which layout the whole has.
  private(set) var key: [Int]
  private var kept: [NestedPredicate] = []

  private static let most = 32

  /// - Parameter layout: of an expression, without those that it evaluates.
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

  /// Calls a closure while everything is there.
  func withBases<Result>(_ body: (UnsafePointer<UnsafeRawPointer>) throws -> Result) rethrows -> Result {
    try withExtendedLifetime(kept) {
      try bases.withUnsafeBufferPointer { bases in
        guard let start = bases.baseAddress else { preconditionFailure("the outermost is always there") }
        return try body(start)
      }
    }
  }
}
