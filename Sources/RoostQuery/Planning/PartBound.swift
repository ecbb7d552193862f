internal import RoostBytes
internal import RoostRecords

/// What a condition asks of one part of an index: a stretch of that part's keys, as they stand in an ascending part.
///
/// No value's key begins another's of the same part, so "from these bytes on" may name a value or only its beginning.
struct PartBound: Hashable {
  struct End: Hashable {
    var bytes: [UInt8]
    /// Whether what begins with the bytes belongs to the stretch.
    var isIncluded: Bool
  }

  var lower: End?
  var upper: End?
  /// Whether exactly the rows that are asked for lie in it. If not, each must still be looked at.
  var isExact = true

  /// One value, or nil, alone; no bound where none can be equal to it.
  init?(equal value: Value, _ field: Field) {
    guard let key = Self.key(value, field), !ValueOrder.isUnordered(value) else { return nil }
    lower = End(bytes: key, isIncluded: true)
    upper = lower
    isExact = !Self.isCut(key, field)
  }

  /// Every value but nil.
  init(notNull field: Field) {
    guard field.isOptional else { return }
    lower = End(bytes: [1], isIncluded: true)
    upper = lower
  }

  /// What stands in this order to a value; no bound where nothing does.
  init?(_ comparison: Expression.Comparison, _ value: Value, _ field: Field) {
    guard !value.isNull, !ValueOrder.isUnordered(value), let key = Self.key(value, field) else { return nil }
    let isCut = Self.isCut(key, field)
    self.init(notNull: field)
    switch comparison {
    case .equal: self.init(equal: value, field)
    case .notEqual: return nil
    case .less: upper = End(bytes: key, isIncluded: isCut)
    case .lessOrEqual: upper = End(bytes: key, isIncluded: true)
    case .greater: lower = End(bytes: key, isIncluded: isCut)
    case .greaterOrEqual: lower = End(bytes: key, isIncluded: true)
    }
    // What is no number sorts behind the others, and is greater than none of them.
    if comparison == .greater || comparison == .greaterOrEqual, let last = Self.unordered(field) {
      upper = End(bytes: last, isIncluded: false)
    }
    isExact = !isCut
  }

  /// Texts that may begin with this one. It is for the condition to say which do.
  init?(prefix text: String, _ field: Field) {
    guard field.type == .string, var key = Self.key(.string(text), field) else { return nil }
    // Without the mark of its end, whichever that is.
    key.removeLast(2)
    lower = End(bytes: key, isIncluded: true)
    upper = lower
    isExact = false
  }

  var isPoint: Bool { lower != nil && lower == upper && lower!.isIncluded }

  private static func key(_ value: Value, _ field: Field) -> [UInt8]? {
    if value.isNull { return field.isOptional ? [0] : nil }
    var key = ByteBuffer()
    if field.isOptional { key.append(1) }
    do throws(RecordFault) { try KeyCoding.append(value, as: field.type, to: &key) } catch { return nil }
    return [UInt8](key.bytes)
  }

  private static func isCut(_ key: [UInt8], _ field: Field) -> Bool {
    switch field.type {
    case .string, .url, .data: key.count > KeyCoding.textBytes && key.last == 254
    default: false
    }
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

  /// The stretch of an index behind a prefix.
  func range(behind prefix: [UInt8], isDescending: Bool) -> KeyRange {
    func turned(_ end: End?) -> End? { end.map { End(bytes: $0.bytes.map { ~$0 }, isIncluded: $0.isIncluded) } }
    let (first, last) = isDescending ? (turned(upper), turned(lower)) : (lower, upper)
    var low = prefix
    if let first {
      guard let start = first.isIncluded ? prefix + first.bytes : KeyRange.behind(prefix + first.bytes) else {
        return KeyRange([], [])
      }
      low = start
    }
    guard let last else { return KeyRange(low, KeyRange.behind(prefix)) }
    return KeyRange(low, last.isIncluded ? KeyRange.behind(prefix + last.bytes) : prefix + last.bytes)
  }
}
