internal import Foundation

/// Reads the parts of an expression for its ``ExpressionNode``, and notes them for a ``LeafLayout``.
///
/// A description calls it with the key path of each stored property that holds a part. The offset of the property in the struct
/// is added to the struct's own place in the whole expression.
struct Parts<Whole: PredicateExpression> {
  private let address: UnsafePointer<Whole>
  private let place: ExpressionPlace
  private let notes: PartNotes?

  init(_ address: UnsafePointer<Whole>, at place: ExpressionPlace, _ notes: PartNotes?) {
    self.address = address
    self.place = place
    self.notes = notes
  }

  var whole: Whole { address.pointee }

  // Inlined, so that the compiler knows the offset of a literal key path and makes no key path
  // object.

  @inline(__always)
  func operand<Part: PredicateExpression>(_ path: KeyPath<Whole, Part>) -> Operand {
    guard let notes else {
      let (part, place) = read(path)
      return Operand(part, at: place)
    }
    // A layout reads only the notes, so nothing is copied for it.
    notes.add(offset(path).map { .operand(Part.self, UnsafeRawPointer(address) + $0, place + $0) } ?? .hidden)
    return .unread
  }

  @inline(__always)
  func value<Value>(_ path: KeyPath<Whole, Value>) -> CapturedValue {
    let (value, place) = read(path)
    notes?.add(.value(Value.self, place))
    return CapturedValue(value: value, type: Value.self, place: place)
  }

  @inline(__always)
  func variable<Value>(_ path: KeyPath<Whole, PredicateExpressions.Variable<Value>>) -> BoundVariable {
    let (variable, place) = read(path)
    notes?.add(.variable(place))
    return BoundVariable(key: variable.key, type: Value.self)
  }

  @inline(__always)
  func key(_ path: KeyPath<Whole, PredicateExpressions.VariableID>) -> PredicateExpressions.VariableID {
    let (key, place) = read(path)
    notes?.add(.variable(place))
    return key
  }

  @inline(__always)
  func keyPath<Path: AnyKeyPath>(_ path: KeyPath<Whole, Path>) -> AnyKeyPath {
    let (keyPath, place) = read(path)
    notes?.add(.keyPath(place))
    return keyPath
  }

  /// Reads an operator or a flag: one byte.
  @inline(__always)
  func sign<Sign>(_ path: KeyPath<Whole, Sign>) -> Sign {
    let (sign, place) = read(path)
    notes?.add(MemoryLayout<Sign>.size == 1 ? .sign(place) : .hidden)
    return sign
  }

  /// Reads predicates, or an expression, that are evaluated with an operand.
  @inline(__always)
  func nested<Holder>(
    _ path: KeyPath<Whole, Holder>, first: Int = 0,
    _ members: @escaping @Sendable (Holder) -> [NestedExpressions.Member]
  ) -> NestedExpressions {
    let (holder, place) = read(path)
    let nested = NestedExpressions(place: place, first: first, members: members(holder)) {
      members($0.assumingMemoryBound(to: Holder.self).pointee)
    }
    notes?.add(.nested(nested))
    return nested
  }

  /// Notes a part without a known position. Such an expression gets no template.
  func hide() { notes?.add(.hidden) }

  @inline(__always)
  private func read<Part>(_ path: KeyPath<Whole, Part>) -> (Part, ExpressionPlace) {
    guard let offset = offset(path) else {
      hide()
      return (address.pointee[keyPath: path], place)
    }
    return ((UnsafeRawPointer(address) + offset).assumingMemoryBound(to: Part.self).pointee, place + offset)
  }

  @inline(__always)
  private func offset<Part>(_ path: KeyPath<Whole, Part>) -> Int? { MemoryLayout<Whole>.offset(of: path) }
}

/// The parts of one expression, in the order of its type's description.
final class PartNotes {
  enum Part {
    case operand(any PredicateExpression.Type, UnsafeRawPointer, ExpressionPlace)
    case value(Any.Type, ExpressionPlace)
    case variable(ExpressionPlace)
    case keyPath(ExpressionPlace)
    case sign(ExpressionPlace)
    case nested(NestedExpressions)
    case hidden
  }

  private(set) var parts: [Part] = []

  func add(_ part: Part) { parts.append(part) }
}
