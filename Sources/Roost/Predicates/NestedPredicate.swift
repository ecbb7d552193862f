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

  /// Nil where the expression must stand at a larger multiple than of 16 bytes.
  init?<Whole: PredicateExpression>(_ expression: Whole, _ variable: PredicateExpressions.VariableID) {
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
  let offset: Int
  /// Those that stand there; nil where they are not to be looked at.
  let read: @Sendable (UnsafeRawPointer) -> [NestedPredicate]?
}

/// What lies in an expression and in those that it evaluates: where each begins, the outermost first, and of which types they are.
struct NestedTree {
  private(set) var bases: [UnsafeRawPointer]
  /// The types in the order of the bases, behind the number of those that stand at one place. It says which layout the whole has.
  private(set) var key: [Int]
  private var kept: [NestedPredicate] = []
  private var types: [any PredicateExpression.Type] = []

  private static let most = 32

  /// - Parameter layout: of an expression of a type, without those that it evaluates.
  init?(
    _ expression: UnsafeRawPointer, _ type: any PredicateExpression.Type,
    layout: (any PredicateExpression.Type) -> LeafLayout
  ) {
    bases = [expression]
    key = [Int(bitPattern: ObjectIdentifier(type))]
    if !add(expression, 0, own: layout(type), layout: layout) { return nil }
  }

  private mutating func add(
    _ memory: UnsafeRawPointer, _ offset: Int, own: LeafLayout,
    layout: (any PredicateExpression.Type) -> LeafLayout
  ) -> Bool {
    guard own.isKnown else { return false }
    for place in own.nested {
      guard let found = place.read(memory + offset + place.offset), bases.count + found.count <= Self.most else {
        return false
      }
      key.append(found.count)
      for nested in found {
        kept.append(nested)
        types.append(nested.type)
        bases.append(nested.memory)
        key.append(Int(bitPattern: ObjectIdentifier(nested.type)))
        guard add(nested.memory, NestedPredicate.expressionOffset, own: layout(nested.type), layout: layout) else {
          return false
        }
      }
    }
    return true
  }

  /// The types in the order in which a layout comes to them, each list with those of one place.
  var groups: NestedGroups { NestedGroups(key: key, types: types) }

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

/// The types of a ``NestedTree``, one after the other.
///
/// Unchecked, because types never change.
struct NestedGroups: @unchecked Sendable {
  private let key: [Int]
  private let types: [any PredicateExpression.Type]
  private var keyPlace = 1
  private var typePlace = 0

  init(key: [Int], types: [any PredicateExpression.Type]) {
    self.key = key
    self.types = types
  }

  /// How many stand at the next place.
  mutating func nextCount() -> Int {
    defer { keyPlace += 1 }
    return key[keyPlace]
  }

  mutating func nextType() -> any PredicateExpression.Type {
    keyPlace += 1
    defer { typePlace += 1 }
    return types[typePlace]
  }
}
