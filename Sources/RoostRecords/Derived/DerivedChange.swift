/// The changes of one derived field of one row in a transaction.
///
/// Counts and sums are kept as differences. Minima and maxima keep the best value that was added
/// and the best one that was removed. All members are read again only if the stored value was
/// removed. Sums of `Float` and `Double` depend on the order of their additions, so they are always
/// computed from all members.
struct DerivedChange {
  /// Whether the value must be computed from all members.
  private(set) var isUnknown = false
  private var count = 0
  private var sum: Int128 = 0
  private var decimals: DecimalSum?
  private var best: Value?
  private var lost: Value?

  mutating func forget() { self = DerivedChange(isUnknown: true) }

  init() {}
  private init(isUnknown: Bool) { self.isUnknown = isUnknown }

  /// Notes that a member with this value was added or removed.
  mutating func note(_ kind: Derivation.Kind, _ value: Value, isRemoved: Bool) {
    if isUnknown { return }
    switch kind {
    case .count: count += isRemoved ? -1 : 1
    case .sum:
      switch value {
      case .null: return
      case .int(let number): sum += isRemoved ? -Int128(number) : Int128(number)
      case .uint(let number): sum += isRemoved ? -Int128(number) : Int128(number)
      case .decimal(let number):
        decimals = decimals ?? DecimalSum()
        decimals?.add(number, isRemoved: isRemoved)
        if decimals?.hasNaN == true { forget() }
      default: forget()
      }
    case .minimum, .maximum:
      if !value.isRankable { return }
      if isRemoved {
        if lost.map({ Self.isBetter(value, $0, kind: kind) }) ?? true { lost = value }
      } else if best.map({ Self.isBetter(value, $0, kind: kind) }) ?? true {
        best = value
      }
    case .latest, .computed: forget()
    }
  }

  /// The new value of a field; nil if it must be computed from all members.
  func applied(to stored: Value, _ kind: Derivation.Kind, _ type: FieldType) throws(RecordFault) -> Value? {
    if isUnknown { return nil }
    switch kind {
    case .count, .sum:
      switch stored {
      case .int(let number): return try Value(exactly: Int128(number) + (kind == .count ? Int128(count) : sum), type)
      case .uint(let number): return try Value(exactly: Int128(number) + sum, type)
      case .decimal(let number):
        if number.isNaN { return nil }
        var total = decimals ?? DecimalSum()
        total.add(number)
        return try Value(total)
      default: return nil
      }
    case .minimum, .maximum:
      if let lost {
        // If the best added value beats all removed ones, it still exists. If the stored value is
        // even better, it was not removed either.
        if let best, Self.isBetter(best, lost, kind: kind) {
          return stored.isRankable && Self.isBetter(stored, best, kind: kind) ? stored : best
        }
        guard stored.isRankable, Self.isBetter(stored, lost, kind: kind) else { return nil }
      }
      guard let best else { return stored }
      return !stored.isRankable || Self.isBetter(best, stored, kind: kind) ? best : stored
    case .latest, .computed: return nil
    }
  }

  /// Whether a minimum or maximum prefers the first value.
  static func isBetter(_ one: Value, _ other: Value, kind: Derivation.Kind) -> Bool {
    kind == .minimum ? one.isLess(than: other) : other.isLess(than: one)
  }
}

extension Value {
  /// Whether the value can be compared: it is neither nil nor NaN.
  var isRankable: Bool {
    switch self {
    case .int, .uint: true
    case .float(let number): !number.isNaN
    case .double(let number), .date(let number): !number.isNaN
    case .decimal(let number): !number.isNaN
    default: false
    }
  }

  /// Compares two values of one type that are rankable.
  func isLess(than other: Value) -> Bool {
    switch (self, other) {
    case (.int(let one), .int(let other)): one < other
    case (.uint(let one), .uint(let other)): one < other
    case (.float(let one), .float(let other)): one < other
    case (.double(let one), .double(let other)), (.date(let one), .date(let other)): one < other
    case (.decimal(let one), .decimal(let other)): one < other
    default: false
    }
  }

  /// Whether a stored derived value equals the computed one. NaN equals NaN here.
  func isSame(as other: Value) -> Bool {
    switch (self, other) {
    case (.float(let one), .float(let other)): one == other || one.isNaN && other.isNaN
    case (.double(let one), .double(let other)), (.date(let one), .date(let other)):
      one == other || one.isNaN && other.isNaN
    default: self == other
    }
  }

  /// Makes the value of an integer in a field of this type.
  init(exactly number: Int128, _ type: FieldType) throws(RecordFault) {
    let fits =
      switch type {
      case .int8: Int8(exactly: number) != nil
      case .int16: Int16(exactly: number) != nil
      case .int32: Int32(exactly: number) != nil
      case .int64: Int64(exactly: number) != nil
      case .uint8: UInt8(exactly: number) != nil
      case .uint16: UInt16(exactly: number) != nil
      case .uint32: UInt32(exactly: number) != nil
      default: UInt64(exactly: number) != nil
      }
    guard fits else { throw RecordFault(.outOfRange, "the sum \(number) does not fit into the derived property") }
    switch type {
    case .uint8, .uint16, .uint32, .uint64: self = .uint(UInt64(number))
    default: self = .int(Int64(number))
    }
  }

  init(_ sum: DecimalSum) throws(RecordFault) {
    guard let number = sum.number else {
      throw RecordFault(.outOfRange, "the sum has more digits than a Decimal")
    }
    self = .decimal(number)
  }
}
