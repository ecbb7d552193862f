internal import Foundation
internal import RoostGraph
internal import RoostRecords

/// A value from outside that stands in a predicate's expression.
protocol CapturedLeaf: AnyObject, Sendable {
  var type: Any.Type { get }
  /// The value as it is stored; nil where it cannot be.
  func value(in expression: UnsafeRawPointer) -> Value?
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

/// A value of one of the types that predicates mostly hold, whose coder need not be asked.
final class PlainLeaf<Captured>: CapturedLeaf {
  private let offset: Int
  private let make: @Sendable (UnsafeRawPointer) -> Value

  private init(_ offset: Int, _ make: @escaping @Sendable (UnsafeRawPointer) -> Value) {
    self.offset = offset
    self.make = make
  }

  var type: Any.Type { Captured.self }

  func value(in expression: UnsafeRawPointer) -> Value? { make(expression + offset) }
}

extension PlainLeaf where Captured == String {
  convenience init(at offset: Int) { self.init(offset) { .string($0.assumingMemoryBound(to: String.self).pointee) } }
}

extension PlainLeaf where Captured == String? {
  convenience init(at offset: Int) {
    self.init(offset) { $0.assumingMemoryBound(to: String?.self).pointee.map { .string($0) } ?? .null }
  }
}

extension PlainLeaf where Captured == Int {
  convenience init(at offset: Int) { self.init(offset) { .int(Int64($0.load(as: Int.self))) } }
}

extension PlainLeaf where Captured == Double {
  convenience init(at offset: Int) { self.init(offset) { .double($0.load(as: Double.self)) } }
}

extension PlainLeaf where Captured == Bool {
  convenience init(at offset: Int) { self.init(offset) { .bool($0.load(as: Bool.self)) } }
}

extension PlainLeaf where Captured == Date {
  convenience init(at offset: Int) {
    self.init(offset) { .date($0.assumingMemoryBound(to: Date.self).pointee.timeIntervalSinceReferenceDate) }
  }
}
