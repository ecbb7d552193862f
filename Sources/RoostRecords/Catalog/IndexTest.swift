extension Index {
  /// A test that a row must pass to have an entry in a partial index.
  ///
  /// As in Swift, `!=` is true for nil and all other comparisons are false. NaN passes `!=` only.
  package indirect enum Test: Hashable, Sendable {
    case isNull(FieldID)
    case isNotNull(FieldID)
    case equals(FieldID, Value)
    case compares(FieldID, Comparison, Value)
    /// True if one of these tests is true. None of them is an `any` itself.
    case any([Test])

    /// The fields whose values the test reads.
    package var fields: [FieldID] {
      switch self {
      case .isNull(let id), .isNotNull(let id), .equals(let id, _), .compares(let id, _, _): [id]
      case .any(let tests): tests.flatMap(\.ownFields)
      }
    }

    private var ownFields: [FieldID] { if case .any = self { [] } else { fields } }

    /// The tests of an `any`, or this test alone.
    package var alternatives: [Test] { if case .any(let tests) = self { tests } else { [self] } }

    /// Whether programs that know only catalog forms up to 5 know the test.
    var isOld: Bool {
      switch self {
      case .isNull, .isNotNull, .equals: true
      case .compares, .any: false
      }
    }
  }

  /// The operator of a comparing test. The raw values are stored in the file.
  package enum Comparison: UInt8, Hashable, Sendable, CaseIterable {
    case notEqual = 0
    case less = 1
    case lessOrEqual = 2
    case greater = 3
    case greaterOrEqual = 4
  }

  /// The most tests of an index, and the most alternatives of one test.
  package static let mostTests = 64
}

extension Index.Test {
  /// The error in a test of an entity's index, as a clause; nil if it is valid.
  package func complaint(in entity: Entity) -> String? {
    if case .any(let tests) = self {
      guard (1...Index.mostTests).contains(tests.count) else {
        return "has \(tests.count) alternatives, and 1 to \(Index.mostTests) are possible"
      }
      for test in tests {
        if case .any = test { return "has alternatives within alternatives" }
        if let fault = test.complaint(in: entity) { return fault }
      }
      return nil
    }
    guard let field = fields.first.flatMap({ entity.field($0) }) else { return "names a field that does not exist" }
    guard case .compares(_, let comparison, let value) = self else { return nil }
    guard KeyCoding.isOrdered(field.type), !value.isNull else { return "compares \(field.name), which has no order" }
    if comparison != .notEqual, !field.type.hasOrder { return "compares \(field.name), which has no order" }
    var key = ByteBuffer(capacity: 64)
    do throws(RecordFault) { try KeyCoding.append(value, as: field.type, to: &key, cutBehind: .max) } catch {
      return "compares \(field.name) with \(value.kind)"
    }
    return nil
  }
}

extension Index.Test {
  /// Whether a value passes a test other than `any`. The row writer compares bytes of keys instead:
  /// see ``RowTests``.
  package func admits(_ value: Value) -> Bool {
    switch self {
    case .isNull: value.isNull
    case .isNotNull: !value.isNull
    case .equals(_, let wanted): value == wanted
    case .compares(_, let comparison, let other): comparison.holds(value, other)
    case .any: false
    }
  }
}

extension Index {
  /// The values that must be unique together; nil if one is nil, or if the object does not pass the
  /// index's tests.
  ///
  /// - Parameter values: the values by field, including those that the tests read.
  package func uniqueValues(_ values: [FieldID: Value]) -> [Value]? {
    let fulfils = tests.allSatisfy { test in
      test.alternatives.contains { one in
        one.fields.first.flatMap { values[$0] }.map(one.admits) ?? false
      }
    }
    let own = parts.compactMap { values[$0.field] }
    return !fulfils || own.count < parts.count || own.contains(.null) ? nil : own
  }
}

extension Index.Comparison {
  /// Whether the comparison of two values of one type is true in Swift.
  package func holds(_ value: Value, _ other: Value) -> Bool {
    if self == .notEqual { return value != other }
    guard let order = Self.order(value, other) else { return false }
    switch self {
    case .notEqual: return order != 0
    case .less: return order < 0
    case .lessOrEqual: return order <= 0
    case .greater: return order > 0
    case .greaterOrEqual: return order >= 0
    }
  }

  private static func order(_ one: Value, _ other: Value) -> Int? {
    func order<Known: Comparable>(_ one: Known, _ other: Known) -> Int? {
      one < other ? -1 : one == other ? 0 : one > other ? 1 : nil
    }
    switch (one, other) {
    case (.int(let one), .int(let other)): return order(one, other)
    case (.uint(let one), .uint(let other)): return order(one, other)
    case (.float(let one), .float(let other)): return order(one, other)
    case (.double(let one), .double(let other)), (.date(let one), .date(let other)): return order(one, other)
    case (.decimal(let one), .decimal(let other)): return order(one, other)
    case (.string(let one), .string(let other)): return order(one, other)
    case (.uuid(let one), .uuid(let other)): return order(one, other)
    default: return nil
    }
  }
}

extension FieldType {
  /// Whether `<` is defined for values of the type.
  package var hasOrder: Bool {
    switch self {
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float, .double, .decimal, .string, .date,
      .uuid:
      true
    default: false
    }
  }
}

extension Value {
  /// Whether the value is NaN.
  package var isNotANumber: Bool {
    switch self {
    case .float(let number): number.isNaN
    case .double(let number), .date(let number): number.isNaN
    default: false
    }
  }
}

extension Index.Comparison {
  /// The operator in Swift.
  package var sign: String {
    switch self {
    case .notEqual: "!="
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    }
  }
}
