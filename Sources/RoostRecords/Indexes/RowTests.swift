internal import RoostBytes
internal import RoostFile

/// Evaluates the tests of a partial index for rows of one layout.
///
/// It compares the bytes of keys, so a test and the order of an index never disagree.
final class RowTests {
  /// All of them must be true; each is true if one of its alternatives is.
  private let tests: [[One]]
  /// Unchecked, because it holds bytes: no code of a user runs during an access.
  @exclusivity(unchecked) private var key = ByteBuffer(capacity: 64)

  private struct One {
    var slot: Slot
    var place: FieldPlace
    var kind: KeyKind
    var rule: Rule
  }

  private enum Rule {
    case isNull
    case isNotNull
    /// The value equals the constant. Values without a key are compared directly.
    case equals(Value, key: [UInt8]?)
    case compares(Index.Comparison, key: [UInt8])
    /// True for every value and for nil, because the constant is NaN.
    case always
    case never
  }

  init(_ index: Index, _ layout: Layout) {
    tests = index.tests.map { test in
      test.alternatives.compactMap { one in
        guard let field = one.fields.first, let at = layout.members.firstIndex(where: { $0.id == field }) else {
          return nil
        }
        let slot = layout.slots[at]
        return One(
          slot: slot, place: FieldPlace(slot, in: layout), kind: KeyKind(slot.type), rule: Self.rule(one, slot.type))
      }
    }
  }

  private static func rule(_ test: Index.Test, _ type: FieldType) -> Rule {
    switch test {
    case .isNull: return .isNull
    case .isNotNull: return .isNotNull
    case .any: return .never
    case .equals(_, let value):
      if value.isNull { return .isNull }
      return value.isNotANumber ? .never : .equals(value, key: key(value, type))
    case .compares(_, let comparison, let value):
      if value.isNotANumber { return comparison == .notEqual ? .always : .never }
      guard let key = key(value, type) else { return .never }
      return .compares(comparison, key: key)
    }
  }

  private static func key(_ value: Value, _ type: FieldType) -> [UInt8]? {
    guard KeyCoding.isOrdered(type) else { return nil }
    var key = ByteBuffer(capacity: 64)
    do throws(RecordFault) { try KeyCoding.append(value, as: type, to: &key, cutBehind: .max) } catch { return nil }
    return [UInt8](key.bytes)
  }

  /// Whether a row passes; nil if that depends on a value outside the row.
  func admits(_ row: UnsafeRawPointer) -> Bool? {
    for alternatives in tests {
      var passes: Bool? = false
      for one in alternatives {
        switch test(one, row, whole: nil) {
        case true?: passes = true
        case nil where passes == false: passes = nil
        default: break
        }
        if passes == true { break }
      }
      guard let passes else { return nil }
      if !passes { return false }
    }
    return true
  }

  /// Whether any row passes.
  func admits(_ row: UnsafeRawPointer, outside: IndexKeys.Text) throws(StoreError) -> Bool {
    for alternatives in tests {
      var passes = false
      for one in alternatives where !passes {
        if let known = test(one, row, whole: nil) {
          passes = known
        } else {
          let whole = try outside(one.slot)
          passes = whole.withUnsafeBytes { test(one, row, whole: $0) } ?? false
        }
      }
      if !passes { return false }
    }
    return true
  }

  /// Whether a row passes one test; nil if it needs a value outside the row.
  private func test(_ one: One, _ row: UnsafeRawPointer, whole: UnsafeRawBufferPointer?) -> Bool? {
    let isNull = one.place.isNull(row)
    switch one.rule {
    case .always: return true
    case .never: return false
    case .isNull: return isNull
    case .isNotNull: return !isNull
    case .equals(let value, let wanted):
      if isNull { return false }
      guard let wanted else { return isSame(one, row, value: value, whole: whole) }
      return compare(one, row, with: wanted, whole: whole).map { $0 == 0 }
    case .compares(let comparison, let wanted):
      if isNull { return comparison == .notEqual }
      if comparison != .notEqual, isNotANumber(one, row) { return false }
      return compare(one, row, with: wanted, whole: whole).map { order in
        switch comparison {
        case .notEqual: order != 0
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        }
      }
    }
  }

  private func isNotANumber(_ one: One, _ row: UnsafeRawPointer) -> Bool {
    switch one.kind {
    case .float: Float(bitPattern: one.place.fixed(row).u32(0)).isNaN
    case .double: Double(bitPattern: one.place.fixed(row).u64(0)).isNaN
    default: false
    }
  }

  /// Compares the key of the row's value with another key.
  private func compare(
    _ one: One, _ row: UnsafeRawPointer, with wanted: [UInt8], whole: UnsafeRawBufferPointer?
  ) -> Int? {
    key.clear()
    if one.place.kind == .variable {
      let (bytes, isOutside) = one.place.variable(row)
      if isOutside, whole == nil { return nil }
      let text = isOutside ? whole ?? bytes : bytes
      if one.kind == .data {
        KeyCoding.append(data: text, to: &key, cutBehind: .max)
      } else {
        KeyCoding.append(text: text, to: &key, cutBehind: .max)
      }
    } else {
      KeyCoding.appendFixed(one.place.fixed(row), as: one.kind, to: &key)
    }
    if key.bytes.elementsEqual(wanted) { return 0 }
    return key.bytes.lexicographicallyPrecedes(wanted) ? -1 : 1
  }

  private func isSame(
    _ one: One, _ row: UnsafeRawPointer, value: Value, whole: UnsafeRawBufferPointer?
  ) -> Bool? {
    guard one.place.kind == .variable else { return FixedCoding.read(one.place.fixed(row), as: one.slot.type) == value }
    let (bytes, isOutside) = one.place.variable(row)
    if isOutside, whole == nil { return nil }
    return ElementCoding.decode(isOutside ? whole ?? bytes : bytes, as: one.slot.type) == value
  }
}
