internal import Foundation
internal import RoostGraph
internal import RoostRecords

/// A captured value in a predicate's expression.
protocol CapturedLeaf: AnyObject, Sendable {
  var type: Any.Type { get }
  /// Returns the value in its stored form; nil if it has none.
  func value(in expression: UnsafeRawPointer) -> Value?
  /// Returns the rows of an identifier, or of a list of identifiers.
  func rows(in expression: UnsafeRawPointer, _ map: EntityMap, _ graph: GraphContext) -> Value?
}

extension CapturedLeaf {
  func rows(in expression: UnsafeRawPointer, _ map: EntityMap, _ graph: GraphContext) -> Value? { nil }
}

/// Identifiers. The rows that they name are known only with the entity that they are compared with.
final class IdentifierLeaf: CapturedLeaf {
  let type: Any.Type
  private let offset: Int

  /// - Parameter type: one of the known types.
  init(_ type: Any.Type, at offset: Int) {
    self.type = type
    self.offset = offset
  }

  static func isKnown(_ type: Any.Type) -> Bool {
    type == PersistentIdentifier.self || type == PersistentIdentifier?.self || type == [PersistentIdentifier].self
      || type == Set<PersistentIdentifier>.self
  }

  /// Whether there is an identifier.
  func value(in expression: UnsafeRawPointer) -> Value? {
    guard type == PersistentIdentifier?.self else { return .bool(true) }
    let place = (expression + offset).assumingMemoryBound(to: PersistentIdentifier?.self)
    return place.pointee == nil ? .null : .bool(true)
  }

  func rows(in expression: UnsafeRawPointer, _ map: EntityMap, _ graph: GraphContext) -> Value? {
    let place = expression + offset
    func row(_ identifier: PersistentIdentifier) -> Value { Constant.reference(identifier, map, graph: graph) }
    if type == PersistentIdentifier.self {
      return row(place.assumingMemoryBound(to: PersistentIdentifier.self).pointee)
    }
    if type == PersistentIdentifier?.self {
      return place.assumingMemoryBound(to: PersistentIdentifier?.self).pointee.map(row) ?? .null
    }
    if type == [PersistentIdentifier].self {
      return .array(place.assumingMemoryBound(to: [PersistentIdentifier].self).pointee.map(row))
    }
    return .array(place.assumingMemoryBound(to: Set<PersistentIdentifier>.self).pointee.map(row))
  }
}

/// Marks the type of a leaf that is the upper bound of a range.
enum UpperBound {}

/// A bound of a range.
///
/// Unchecked, because a coder never changes.
final class BoundLeaf<Bounds, Bound: Codable>: CapturedLeaf, @unchecked Sendable {
  let type: Any.Type
  private let coder: Coder<Bound>
  private let offset: Int
  private let bound: (Bounds) -> Bound

  init(_ type: Any.Type, _ coder: Coder<Bound>, at offset: Int, bound: @escaping (Bounds) -> Bound) {
    self.type = type
    self.coder = coder
    self.offset = offset
    self.bound = bound
  }

  func value(in expression: UnsafeRawPointer) -> Value? {
    coder.value(bound((expression + offset).assumingMemoryBound(to: Bounds.self).pointee))
  }
}

/// A value of one type.
///
/// Unchecked, because a coder never changes.
final class ValueLeaf<Captured: Codable>: CapturedLeaf, @unchecked Sendable {
  private let coder: Coder<Captured>
  private let offset: Int

  init(_ coder: Coder<Captured>, at offset: Int) {
    self.coder = coder
    self.offset = offset
  }

  var type: Any.Type { Captured.self }

  func value(in expression: UnsafeRawPointer) -> Value? {
    coder.value((expression + offset).assumingMemoryBound(to: Captured.self).pointee)
  }
}

/// A value of one of the types that predicates use most. Its coder is not needed.
final class PlainLeaf: CapturedLeaf {
  private let plain: PlainType
  private let offset: Int

  init(_ plain: PlainType, at offset: Int) {
    self.plain = plain
    self.offset = offset
  }

  var type: Any.Type { plain.type }

  func value(in expression: UnsafeRawPointer) -> Value? { plain.value(expression + offset) }
}
