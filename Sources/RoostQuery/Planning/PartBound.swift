internal import RoostBytes
internal import RoostRecords

/// What a condition asks of a field: a stretch of its keys, as they would stand in an ascending part of an index that cuts none.
///
/// No value's key begins another's of the same part, so an end may be a whole key or only how some keys begin.
struct PartBound: Hashable {
  private(set) var low: [UInt8]
  /// The first bytes that do not belong to it; nil stands for the end.
  private(set) var high: [UInt8]?
  /// Whether it is one value, or nil.
  private(set) var isPoint = false
  /// Whether exactly the rows that are asked for lie in it. If not, each must still be looked at.
  private(set) var isExact = true

  /// Every value but nil.
  init(notNull field: Field) {
    low = field.isOptional ? [1] : []
    high = field.isOptional ? [2] : nil
  }

  /// Nil alone.
  init(null field: Field) {
    low = [0]
    high = [1]
    isPoint = true
  }

  /// What stands in this order to a value that is neither nil nor unordered; nil where that is no stretch.
  init?(_ comparison: Expression.Comparison, _ value: Value, _ field: Field) {
    guard let key = Self.key(value, field) else { return nil }
    self.init(notNull: field)
    switch comparison {
    case .equal:
      low = key
      high = KeyRange.behind(key)
      isPoint = true
    case .notEqual: return nil
    case .less: high = key
    case .lessOrEqual: high = KeyRange.behind(key)
    case .greater:
      guard let behind = KeyRange.behind(key) else {
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
  init?(prefix text: String, _ field: Field) {
    guard field.type == .string, var key = Self.key(.string(text), field) else { return nil }
    // Without the mark of its end, whichever that is.
    key.removeLast(2)
    low = key
    high = KeyRange.behind(key)
    isExact = false
  }

  /// The same among keys whose texts are cut behind so many bytes. It may then be larger, and is not exact.
  func cut(behind most: Int, _ field: Field) -> PartBound {
    guard field.isText else { return self }
    let limit = (field.isOptional ? 1 : 0) + most
    /// Where an end must be cut: one byte earlier than keys are, should that one be half of an escaped zero.
    func place(_ end: [UInt8]) -> Int? {
      if end.count < limit { return nil }
      // A whole text that fits in, or what comes right behind it.
      if end.count <= limit + 2, end[end.count - 2] == 0, end[end.count - 1] < 2 { return nil }
      return limit - 1
    }
    var cut = self
    if let place = place(low) {
      cut.low = Array(low[..<place])
      cut.isExact = false
    }
    if let high, let place = place(high) {
      cut.high = KeyRange.behind(Array(high[..<place]))
      cut.isExact = false
    }
    cut.isPoint = isPoint && cut.isExact
    return cut
  }

  /// What belongs to both; nil where nothing does.
  func intersection(_ other: PartBound) -> PartBound? {
    var common = self
    if low.lexicographicallyPrecedes(other.low) { common.low = other.low }
    if let end = other.high, high.map({ end.lexicographicallyPrecedes($0) }) ?? true { common.high = end }
    common.isPoint = isPoint || other.isPoint
    common.isExact = isExact && other.isExact
    if let high = common.high, !common.low.lexicographicallyPrecedes(high) { return nil }
    return common
  }

  var admitsNull: Bool { low.isEmpty || low[0] == 0 }

  private static func key(_ value: Value, _ field: Field) -> [UInt8]? {
    var key = ByteBuffer()
    if field.isOptional { key.append(1) }
    do throws(RecordFault) { try KeyCoding.append(value, as: field.type, to: &key, cutBehind: .max) } catch {
      return nil
    }
    return [UInt8](key.bytes)
  }

  /// The key of what is no number.
  private static func unordered(_ field: Field) -> [UInt8]? {
    switch field.type {
    case .float: key(.float(.nan), field)
    case .double: key(.double(.nan), field)
    case .date: key(.date(.nan), field)
    default: nil
    }
  }

  /// The stretch of an index behind a prefix; nil where it is empty.
  func range(behind prefix: [UInt8], isDescending: Bool) -> KeyRange? {
    var (start, end) = (Optional(low), high)
    if isDescending {
      // A key is at or behind `low` exactly if, turned over, it stands before all that begin with `low` turned over.
      start = high.map { KeyRange.behind($0.map { ~$0 }) } ?? []
      end = KeyRange.behind(low.map { ~$0 })
    }
    guard let start else { return nil }
    return KeyRange(prefix + start, end.map { prefix + $0 } ?? KeyRange.behind(prefix))
  }

  /// The bytes of one value as they stand in an index.
  func point(isDescending: Bool) -> [UInt8] { isDescending ? low.map { ~$0 } : low }

  /// Alternatives in order, none touching another.
  static func merged(_ bounds: [PartBound]) -> [PartBound] {
    var merged: [PartBound] = []
    for bound in bounds.sorted(by: { $0.low.lexicographicallyPrecedes($1.low) }) {
      guard let last = merged.last else {
        merged.append(bound)
        continue
      }
      if last == bound { continue }
      guard let end = last.high else {
        merged[merged.count - 1].isExact = last.isExact && bound.isExact
        continue
      }
      if !bound.low.lexicographicallyPrecedes(end) {
        merged.append(bound)
        continue
      }
      var joined = last
      joined.isPoint = false
      joined.isExact = last.isExact && bound.isExact
      if let other = bound.high {
        if end.lexicographicallyPrecedes(other) { joined.high = other }
      } else {
        joined.high = nil
      }
      merged[merged.count - 1] = joined
    }
    return merged
  }
}

extension Field {
  /// Whether its keys are texts or data, which an index may cut.
  var isText: Bool {
    switch type {
    case .string, .url, .data: true
    default: false
    }
  }
}
