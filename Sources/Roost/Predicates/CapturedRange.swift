internal import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// A captured range.
protocol CapturedRange {
  /// Returns the condition that an element is in the range.
  ///
  /// - Parameter leaf: the number of the first bound, if a template is made.
  func contains(_ element: Condition, _ leaf: Int?) throws -> Condition
  /// Returns the leaves of the range in an expression.
  static func leaves(at offset: Int) throws -> [any CapturedLeaf]?
}

/// The bounds of ranges of one type of values.
private enum Bounds<Bound> {
  /// Returns the engine's constant for a bound, or its parameter.
  static func condition(_ bound: Bound, _ leaf: Int?) throws -> Condition {
    try Constant.make(TranslatedPart.Captured(value: bound, type: Bound.self, leaf: leaf))
  }

  static func leaves<Range>(
    of range: Range.Type, at offset: Int, _ first: @escaping (Range) -> Bound,
    _ second: ((Range) -> Bound)? = nil
  ) throws -> [any CapturedLeaf]? {
    guard Constant.isSortedByValue(Bound.self), let codable = Bound.self as? any Codable.Type else { return nil }
    func open<Known: Codable>(_ type: Known.Type) throws -> [any CapturedLeaf] {
      let coder = try CoderShelf.shared.coder(of: type)
      func leaf(_ type: Any.Type, _ bound: @escaping (Range) -> Bound) -> any CapturedLeaf {
        // Both names are the same type.
        BoundLeaf<Range, Known>(type, coder, at: offset) { unsafeBitCast(bound($0), to: Known.self) }
      }
      return [leaf(Range.self, first)] + (second.map { [leaf(UpperBound.self, $0)] } ?? [])
    }
    return try open(codable)
  }
}

extension Range: CapturedRange {
  func contains(_ element: Condition, _ leaf: Int?) throws -> Condition {
    let high = try Bounds.condition(upperBound, leaf.map { $0 + 1 })
    return .within(try Bounds.condition(lowerBound, leaf), high, false, element)
  }

  static func leaves(at offset: Int) throws -> [any CapturedLeaf]? {
    try Bounds.leaves(of: Self.self, at: offset, { $0.lowerBound }, { $0.upperBound })
  }
}

extension ClosedRange: CapturedRange {
  func contains(_ element: Condition, _ leaf: Int?) throws -> Condition {
    let high = try Bounds.condition(upperBound, leaf.map { $0 + 1 })
    return .within(try Bounds.condition(lowerBound, leaf), high, true, element)
  }

  static func leaves(at offset: Int) throws -> [any CapturedLeaf]? {
    try Bounds.leaves(of: Self.self, at: offset, { $0.lowerBound }, { $0.upperBound })
  }
}

extension PartialRangeFrom: CapturedRange {
  func contains(_ element: Condition, _ leaf: Int?) throws -> Condition {
    .compare(.greaterOrEqual, element, try Bounds.condition(lowerBound, leaf))
  }

  static func leaves(at offset: Int) throws -> [any CapturedLeaf]? {
    try Bounds.leaves(of: Self.self, at: offset, { $0.lowerBound })
  }
}

extension PartialRangeThrough: CapturedRange {
  func contains(_ element: Condition, _ leaf: Int?) throws -> Condition {
    .compare(.lessOrEqual, element, try Bounds.condition(upperBound, leaf))
  }

  static func leaves(at offset: Int) throws -> [any CapturedLeaf]? {
    try Bounds.leaves(of: Self.self, at: offset, { $0.upperBound })
  }
}

extension PartialRangeUpTo: CapturedRange {
  func contains(_ element: Condition, _ leaf: Int?) throws -> Condition {
    .compare(.less, element, try Bounds.condition(upperBound, leaf))
  }

  static func leaves(at offset: Int) throws -> [any CapturedLeaf]? {
    try Bounds.leaves(of: Self.self, at: offset, { $0.upperBound })
  }
}
