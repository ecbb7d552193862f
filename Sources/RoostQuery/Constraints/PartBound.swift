internal import RoostBytes
internal import RoostRecords

/// What a condition asks of a field: a stretch of its keys, as they would stand in an ascending part of an index that cuts none.
///
/// No value's key begins another's of the same part, so an end may be a whole key or only how some keys begin.
struct PartBound: Hashable {
  private(set) var low: KeyBytes
  /// The first bytes that do not belong to it; nil stands for the end.
  private(set) var high: KeyBytes?
  /// Whether it is one value, or nil.
  private(set) var isPoint = false
  /// Whether exactly the rows that are asked for lie in it. If not, each must still be looked at.
  private(set) var isExact = true

  /// Every value but nil.
  init(notNull field: KeyField) {
    low = field.isOptional ? KeyBytes(1) : KeyBytes()
    high = field.isOptional ? KeyBytes(2) : nil
  }

  /// Nil alone.
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

  /// What stands in this order to a value that is neither nil nor unordered; nil where that is no stretch.
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
        // Nothing is greater than the greatest.
        (low, high) = (key, key)
        return
      }
      low = behind
    case .greaterOrEqual: low = key
    }
    // What is no number sorts behind the others, and is greater than none of them.
    if comparison == .greater || comparison == .greaterOrEqual, let last = Self.unordered(field) { high = last }
  }

  /// Texts that may begin with this one. It is for the condition to say which do.
  init?(prefix text: String, _ field: KeyField) {
    guard field.type == .string, let key = Self.key(.string(text), field) else { return nil }
    // Without the mark of its end, whichever that is.
    low = key.prefix(key.count - 2)
    high = low.behind
    isExact = false
  }

  /// The same among keys whose texts are cut behind so many bytes. It may then be larger, and is not exact.
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

  /// Where an end must be cut: one byte earlier than keys are, should that one be half of an escaped zero.
  private static func place(_ end: KeyBytes, _ most: Int, field: KeyField) -> Int? {
    guard field.isText else { return nil }
    let limit = (field.isOptional ? 1 : 0) + most
    if end.count < limit { return nil }
    // A whole text that fits in, or what comes right behind it.
    if end.count <= limit + 2, end[end.count - 2] == 0, end[end.count - 1] < 2 { return nil }
    return limit - 1
  }

  /// What belongs to both; nil where nothing does.
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

  /// The key of what is no number.
  private static func unordered(_ field: KeyField) -> KeyBytes? {
    switch field.type {
    case .float: key(.float(.nan), field)
    case .double: key(.double(.nan), field)
    case .date: key(.date(.nan), field)
    default: nil
    }
  }

  /// The stretch of an index behind a prefix; nil where it is empty.
  func range(behind prefix: KeyBytes, isDescending: Bool) -> KeyRange? {
    var (start, end) = (Optional(low), high)
    if isDescending {
      // A key is at or behind `low` exactly if, turned over, it stands before all that begin with `low` turned over.
      start = high.map { $0.complement.behind } ?? KeyBytes()
      end = low.complement.behind
    }
    guard let start else { return nil }
    return KeyRange(prefix + start, end.map { prefix + $0 } ?? prefix.behind)
  }

  /// The bytes of one value as they stand in an index.
  func point(isDescending: Bool) -> KeyBytes { isDescending ? low.complement : low }

  /// Alternatives in order, none touching another.
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
