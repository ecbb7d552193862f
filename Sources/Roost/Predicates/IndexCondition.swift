internal import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// Reads the condition of an index from a predicate: comparisons of stored properties with constants, joined by `&&`, `||` and `!`.
///
/// The result is a list of tests that must all be true. Each is one comparison or a list of alternatives.
struct IndexCondition<Model: PersistentModel> {
  private let predicate: Predicate<Model>
  private let type = Model._$type

  /// Why a condition cannot be kept, as a clause.
  struct Fault: Error {
    var detail: String
  }

  private typealias Test = IndexPlan.Test
  /// Tests that must all be true; each is true if one of its alternatives is.
  private typealias Clauses = [[Test]]

  init(_ predicate: Predicate<Model>) { self.predicate = predicate }

  var tests: [IndexPlan.Test] {
    get throws(Fault) {
      let clauses = try clauses(Operand(predicate.expression), isTrue: true, depth: 0)
      return clauses.map { $0.count == 1 ? $0[0] : .any($0) }
    }
  }

  private func fault(_ operand: Operand, _ advice: String) -> Fault {
    let text = PredicateText(predicate.variable.key).text(operand)
    return Fault(detail: "\(text): \(advice)")
  }

  private static var general: String { "compare stored properties with constants, and join that by &&, || and !" }

  // MARK: Joints

  private func clauses(_ operand: Operand, isTrue: Bool, depth: Int) throws(Fault) -> Clauses {
    guard depth <= RoostRecords.Index.mostTests else { throw fault(operand, "the condition has too many parts") }
    switch operand.node {
    case .joint(let joint, let one, let other):
      let (first, second) = (
        try clauses(one, isTrue: isTrue, depth: depth + 1), try clauses(other, isTrue: isTrue, depth: depth + 1)
      )
      let joined = (joint == .and) == isTrue ? first + second : first.flatMap { one in second.map { one + $0 } }
      guard joined.count <= RoostRecords.Index.mostTests,
        joined.allSatisfy({ $0.count <= RoostRecords.Index.mostTests })
      else { throw fault(operand, "the condition has too many parts") }
      return joined
    case .not(let inner): return try clauses(inner, isTrue: !isTrue, depth: depth + 1)
    case .equality(let comparison, let one, let other):
      return try compared(operand, one, with: other, isEqual: (comparison == .equal) == isTrue)
    case .comparison(let comparison?, let one, let other):
      guard let comparison = comparison.kept else { break }
      if let value = try constant(other) {
        return try ordered(operand, one, by: comparison, value: value, isTrue: isTrue)
      }
      if let value = try constant(one) {
        return try ordered(operand, other, by: comparison.mirrored, value: value, isTrue: isTrue)
      }
    case .within(let range, let element):
      guard let bounds = bounds(range) else { break }
      let low = try ordered(operand, element, by: .greaterOrEqual, value: bounds.low, isTrue: isTrue)
      let high = try ordered(
        operand, element, by: bounds.isClosed ? .lessOrEqual : .less, value: bounds.high, isTrue: isTrue)
      return isTrue ? low + high : low.flatMap { one in high.map { one + $0 } }
    case .contains(let list, let element):
      guard let values = try elements(list), !values.isEmpty, values.count <= RoostRecords.Index.mostTests else {
        break
      }
      let all = try values.map { value throws(Fault) in
        try equal(operand, try subject(element), value: value, isEqual: isTrue)
      }
      if !isTrue { return all.flatMap { $0 } }
      guard all.allSatisfy({ $0.count == 1 }) else { break }
      return [all.flatMap { $0[0] }]
    case .property, .unwrap, .coalesce:
      if operand.output == Bool.self {
        return try equal(operand, try subject(operand), value: .bool(true), isEqual: isTrue)
      }
    default: break
    }
    throw fault(operand, Self.general)
  }

  // MARK: Comparisons

  private func compared(
    _ whole: Operand, _ one: Operand, with other: Operand, isEqual: Bool
  ) throws(Fault) -> Clauses {
    if let value = try constant(other) { return try equal(whole, try subject(one), value: value, isEqual: isEqual) }
    if let value = try constant(one) { return try equal(whole, try subject(other), value: value, isEqual: isEqual) }
    throw fault(whole, Self.general)
  }

  private func equal(
    _ whole: Operand, _ subject: Subject, value: Value, isEqual: Bool
  ) throws(Fault) -> Clauses {
    let path = subject.path
    if value.isNull {
      guard subject.instead == nil else { throw fault(whole, Self.general) }
      return [[isEqual ? .isNull(path) : .isNotNull(path)]]
    }
    guard subject.type != nil else { throw fault(whole, "compare only values, or compare with nil") }
    if case .bool(let flag) = value, !isEqual, !subject.isOptional {
      return [[.equals(path, .bool(!flag))]]
    }
    let holdsInstead = subject.instead.map { ($0 == value) == isEqual } ?? false
    if isEqual { return [[.equals(path, value)] + (holdsInstead ? [.isNull(path)] : [])] }
    let unequal = Test.compares(path, .notEqual, value)
    return subject.instead == nil || holdsInstead ? [[unequal]] : [[unequal], [.isNotNull(path)]]
  }

  private func ordered(
    _ whole: Operand, _ operand: Operand, by comparison: RoostRecords.Index.Comparison, value: Value, isTrue: Bool
  ) throws(Fault) -> Clauses {
    let subject = try subject(operand)
    guard let type = subject.type, type.hasOrder, !value.isNull else { throw fault(whole, Self.general) }
    var comparison = comparison
    if !isTrue {
      // NaN is on neither side of a comparison, and so is nil.
      guard !subject.isOptional, !type.mayBeNoNumber else {
        throw fault(whole, "write the opposite comparison instead of !")
      }
      comparison = comparison.opposite
    }
    let holdsInstead = subject.instead.map { comparison.holds($0, value) } ?? false
    return [[.compares(subject.path, comparison, value)] + (holdsInstead ? [.isNull(subject.path)] : [])]
  }

  // MARK: Properties

  /// The compared property.
  private struct Subject {
    var path: String
    /// The type of the field; nil for a relationship and for a struct.
    var type: FieldType?
    var isOptional: Bool
    /// The constant after `??`, which replaces nil.
    var instead: Value?
  }

  private func subject(_ operand: Operand) throws(Fault) -> Subject {
    switch operand.node {
    case .unwrap(let inner): return try subject(inner)
    case .coalesce(let inner, let other):
      var found = try subject(inner)
      guard found.instead == nil, let value = try constant(other), !value.isNull else { break }
      found.instead = value
      return found
    case .property:
      guard let found = place(operand, depth: 0) else { break }
      return Subject(path: found.path, type: found.coder?.field?.type, isOptional: found.isOptional)
    default: break
    }
    throw fault(operand, "name a stored property of \(type.name)")
  }

  private struct Place {
    var path: String
    var coder: AnyCoder?
    var isOptional: Bool
  }

  /// Returns where the value of a chain of properties is stored.
  private func place(_ operand: Operand, depth: Int) -> Place? {
    guard depth < 32, case .property(let property) = operand.node else { return nil }
    if case .variable(predicate.variable.key) = property.root.node {
      guard let number = type.number(of: property.keyPath) else { return nil }
      let name = type.propertyName(number)
      switch type.properties[number].storage {
      case .value(let coder):
        guard let own = try? coder.coder(), !own.isOfOneProperty else { return nil }
        return Place(path: name, coder: own, isOptional: own.form.isOptional)
      case .toOne(let link): return Place(path: name, coder: nil, isOptional: link.isOptional)
      case .toMany, .none: return nil
      }
    }
    guard let above = place(property.root, depth: depth + 1), let coder = above.coder else { return nil }
    if coder.parts.isEmpty { return RawValues.isRawValue(property.keyPath) ? above : nil }
    guard let name = PartNames.name(of: property.keyPath, among: coder), let part = coder.part(name) else { return nil }
    return Place(
      path: above.path + "." + name, coder: part, isOptional: above.isOptional || part.form.isOptional)
  }

  // MARK: Constants

  /// Returns the value of a constant; nil for other operands.
  private func constant(_ operand: Operand) throws(Fault) -> Value? {
    if case .negative(let inner) = operand.node, let value = try constant(inner) { return value.negated }
    guard let captured = captured(operand) else { return nil }
    guard let value = value(captured) else {
      throw fault(operand, "compare with a number, a text, a date or another plain value")
    }
    return value
  }

  private func captured(_ operand: Operand) -> TranslatedPart.Captured? {
    switch operand.node {
    case .value(let value): return TranslatedPart.Captured(value: value.value, type: value.type)
    case .property(let property):
      // A property of a constant, such as `State.open.rawValue`.
      guard let root = captured(property.root), let value = root.value[keyPath: property.keyPath] else { return nil }
      return TranslatedPart.Captured(value: value, type: Swift.type(of: property.keyPath).valueType)
    default: return nil
    }
  }

  private func value(_ captured: TranslatedPart.Captured) -> Value? {
    if captured.isNil { return .null }
    guard case .constant(let value, _)? = try? Constant.make(captured) else { return nil }
    return value
  }

  private func bounds(_ range: Operand) -> (low: Value, high: Value, isClosed: Bool)? {
    if case .range(let low, let high, let isClosed) = range.node {
      guard let low = try? constant(low), let high = try? constant(high) else { return nil }
      return (low, high, isClosed)
    }
    guard let known = captured(range)?.value as? any CapturedRange,
      case .within(.constant(let low, _), .constant(let high, _), let isClosed, _)? = try? known.contains(.row, nil)
    else { return nil }
    return (low, high, isClosed)
  }

  /// Returns the elements of a constant list; nil for other operands.
  private func elements(_ list: Operand) throws(Fault) -> [Value]? {
    guard let captured = captured(list) else { return nil }
    switch value(captured) {
    case .array(let values): return values
    case .set(let values): return Array(values)
    default: return nil
    }
  }
}

extension Condition.Comparison {
  fileprivate var kept: RoostRecords.Index.Comparison? {
    switch self {
    case .less: .less
    case .lessOrEqual: .lessOrEqual
    case .greater: .greater
    case .greaterOrEqual: .greaterOrEqual
    case .equal, .notEqual: nil
    }
  }
}

extension RoostRecords.Index.Comparison {
  fileprivate var mirrored: Self {
    switch self {
    case .notEqual: .notEqual
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    }
  }

  /// The comparison that is true for numbers for which this one is false.
  fileprivate var opposite: Self {
    switch self {
    case .notEqual: .notEqual
    case .less: .greaterOrEqual
    case .lessOrEqual: .greater
    case .greater: .lessOrEqual
    case .greaterOrEqual: .less
    }
  }
}

extension FieldType {
  fileprivate var mayBeNoNumber: Bool { self == .float || self == .double || self == .date }
}

extension Value {
  fileprivate var negated: Value? {
    switch self {
    case .int(let number): number == .min ? nil : .int(-number)
    case .double(let number): .double(-number)
    case .float(let number): .float(-number)
    default: nil
    }
  }
}
