internal import RoostBytes
internal import RoostRecords

/// A range of one field's keys that a condition allows. Its bytes are those of an ascending index
/// part that truncates no key.
///
/// No value's key is a prefix of another's of the same part. So an end of the range may be a whole
/// key or only the first bytes of keys.
struct PartBound: Hashable {
  private(set) var low: KeyBytes
  /// The first bytes after the range; nil means that the range has no upper end.
  private(set) var high: KeyBytes?
  /// Whether the range contains one value only, or only nil.
  private(set) var isPoint = false
  /// Whether every row in the range fulfils the condition. If not, each row must still be tested.
  private(set) var isExact = true

  /// All values except nil.
  init(notNull field: KeyField) {
    low = field.isOptional ? KeyBytes(1) : KeyBytes()
    high = field.isOptional ? KeyBytes(2) : nil
  }

  /// Only nil.
  init(null field: KeyField) {
    low = KeyBytes(0)
    high = KeyBytes(1)
    isPoint = true
  }

  private init(point key: KeyBytes) {
    low = key
    high = key.behind
    isPoint = true
  }

  /// The values that compare this way with `value`, which must not be nil or unordered; nil if they
  /// are no single range.
  init?(_ comparison: Expression.Comparison, _ value: Value, field: KeyField) {
    guard let key = Self.key(value, field) else { return nil }
    if comparison == .equal {
      self.init(point: key)
      return
    }
    self.init(notNull: field)
    switch comparison {
    case .equal, .notEqual: return nil
    case .less: high = key
    case .lessOrEqual: high = key.behind
    case .greater:
      guard let behind = key.behind else {
        // No value is greater than the greatest one.
        (low, high) = (key, key)
        return
      }
      low = behind
    case .greaterOrEqual: low = key
    }
    // NaN sorts after all numbers, but is not greater than any.
    if comparison == .greater || comparison == .greaterOrEqual, let last = Self.unordered(field) { high = last }
  }

  /// Texts that may begin with `text`. The condition must still test each row.
  init?(prefix text: String, _ field: KeyField) {
    guard field.type == .string, let key = Self.key(.string(text), field) else { return nil }
    // Without the two bytes that end a text.
    low = key.prefix(key.count - 2)
    high = low.behind
    isExact = false
  }

  /// The range for an index that truncates texts after `most` bytes. It may be larger then, and is
  /// not exact.
  func cut(behind most: Int, _ field: KeyField) -> PartBound {
    var cut = self
    if let place = Self.place(low, most, field: field) {
      cut.low = low.prefix(place)
      cut.isExact = false
    }
    if let high, let place = Self.place(high, most, field: field) {
      cut.high = high.prefix(place).behind
      cut.isExact = false
    }
    cut.isPoint = isPoint && cut.isExact
    return cut
  }

  func isCut(behind most: Int, _ field: KeyField) -> Bool {
    Self.place(low, most, field: field) != nil || high.flatMap { Self.place($0, most, field: field) } != nil
  }

  /// Where an end must be truncated: one byte earlier than keys are, because that byte may be half
  /// of an escaped zero.
  private static func place(_ end: KeyBytes, _ most: Int, field: KeyField) -> Int? {
    guard field.isText else { return nil }
    let limit = (field.isOptional ? 1 : 0) + most
    if end.count < limit { return nil }
    // A whole text that fits, or the first key after it.
    if end.count <= limit + 2, end[end.count - 2] == 0, end[end.count - 1] < 2 { return nil }
    return limit - 1
  }

  /// The values in both ranges; nil if there are none.
  func intersection(_ other: PartBound) -> PartBound? {
    var common = self
    if low < other.low { common.low = other.low }
    if let end = other.high, high.map({ end < $0 }) ?? true { common.high = end }
    common.isPoint = isPoint || other.isPoint
    common.isExact = isExact && other.isExact
    if let high = common.high, !(common.low < high) { return nil }
    return common
  }

  var admitsNull: Bool { low.isEmpty || low[0] == 0 }

  private static func key(_ value: Value, _ field: KeyField) -> KeyBytes? {
    var key = ByteBuffer(capacity: 64)
    if field.isOptional { key.append(1) }
    do throws(RecordFault) { try KeyCoding.append(value, as: field.type, to: &key, cutBehind: .max) } catch {
      return nil
    }
    return KeyBytes(key.bytes)
  }

  /// The key of NaN.
  private static func unordered(_ field: KeyField) -> KeyBytes? {
    switch field.type {
    case .float: key(.float(.nan), field)
    case .double: key(.double(.nan), field)
    case .date: key(.date(.nan), field)
    default: nil
    }
  }

  /// This range among the index keys that begin with `prefix`; nil if it is empty.
  func range(behind prefix: KeyBytes, isDescending: Bool) -> KeyRange? {
    var (start, end) = (Optional(low), high)
    if isDescending {
      // A key is at or after `low` exactly if its complement is before all keys that begin with the
      // complement of `low`.
      start = high.map { $0.complement.behind } ?? KeyBytes()
      end = low.complement.behind
    }
    guard let start else { return nil }
    return KeyRange(prefix + start, end.map { prefix + $0 } ?? prefix.behind)
  }

  /// The bytes of one value in an index.
  func point(isDescending: Bool) -> KeyBytes { isDescending ? low.complement : low }

  /// The ranges in order; overlapping and adjacent ones are joined.
  static func merged(_ bounds: [PartBound]) -> [PartBound] {
    if bounds.count <= 1 { return bounds }
    var merged: [PartBound] = []
    for bound in bounds.sorted(by: { $0.low < $1.low }) {
      guard let last = merged.last else {
        merged.append(bound)
        continue
      }
      if last == bound { continue }
      guard let end = last.high else {
        merged[merged.count - 1].isExact = last.isExact && bound.isExact
        continue
      }
      if !(bound.low < end) {
        merged.append(bound)
        continue
      }
      var joined = last
      joined.isPoint = false
      joined.isExact = last.isExact && bound.isExact
      if let other = bound.high {
        if end < other { joined.high = other }
      } else {
        joined.high = nil
      }
      merged[merged.count - 1] = joined
    }
    return merged
  }
}
