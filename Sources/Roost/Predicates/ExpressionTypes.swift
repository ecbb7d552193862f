internal import Foundation
internal import RoostFile

/// Casts expressions to ``Translatable``, each type once.
///
/// For a new type the runtime searches the conformances of all libraries, and a translation asks for each type several times.
enum ExpressionTypes {
  static func translatable<Expression: PredicateExpression>(_ expression: Expression) -> (any Translatable)? {
    guard let known = translatable(type: Expression.self) else { return nil }
    func open<Same: Translatable>(_ type: Same.Type) -> (any Translatable)? { expression as? Same }
    return open(known)
  }

  static func node<Expression: PredicateExpression>(_ expression: Expression, at place: ExpressionPlace)
    -> ExpressionNode
  {
    guard let known = translatable(type: Expression.self) else { return .unknown }
    func open<Same: Translatable>(_ type: Same.Type) -> ExpressionNode {
      // `Same` and `Expression` are the same type.
      withUnsafePointer(to: expression) {
        Same.node(Parts(UnsafeRawPointer($0).assumingMemoryBound(to: Same.self), at: place, nil))
      }
    }
    return open(known)
  }

  /// Returns the parts of an expression at an address, in the order of the type's description.
  static func parts(
    of type: any PredicateExpression.Type, _ address: UnsafeRawPointer, at place: ExpressionPlace
  ) -> [PartNotes.Part] {
    guard let known = translatable(type: type) else { return [.hidden] }
    let notes = PartNotes()
    func open<Same: Translatable>(_ type: Same.Type) {
      _ = Same.node(Parts(address.assumingMemoryBound(to: Same.self), at: place, notes))
    }
    open(known)
    return notes.parts
  }

  private static func translatable(type: Any.Type) -> (any Translatable.Type)? {
    let key = ObjectIdentifier(type)
    if let known = table.lock.withLock({ table.types[key] }) { return known }
    let found = type as? any Translatable.Type
    table.lock.withLock { table.types[key] = .some(found) }
    return found
  }

  /// Unchecked because the lock guards `types`.
  private final class Table: @unchecked Sendable {
    let lock = Lock()
    /// Types that were cast; nil for a type that Roost does not know. A program has as many as its
    /// predicates have parts.
    var types: [ObjectIdentifier: (any Translatable.Type)?] = [:]
  }

  private static let table = Table()
}
