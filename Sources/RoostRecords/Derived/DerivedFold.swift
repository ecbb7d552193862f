/// Computes one derived value from all members, which are added in the order of their row numbers.
struct DerivedFold {
  private let kind: Derivation.Kind
  private let type: FieldType
  private let isOptional: Bool
  private var integers: Int128 = 0
  private var decimals: DecimalSum?
  private var float: Float = 0
  private var double = 0.0
  private var best: Value = .null
  private var key: Value = .null

  init(_ kind: Derivation.Kind, _ field: Field) {
    (self.kind, type, isOptional) = (kind, field.type, field.isOptional)
    if type == .decimal, kind == .sum { decimals = DecimalSum() }
  }

  /// The value of the field without members.
  static func empty(_ kind: Derivation.Kind, _ type: FieldType) -> Value {
    kind == .count || kind == .sum ? type.empty : .null
  }

  mutating func add(_ value: Value, key: Value) {
    switch kind {
    case .count: integers += 1
    case .sum:
      switch value {
      case .int(let number): integers += Int128(number)
      case .uint(let number): integers += Int128(number)
      case .decimal(let number): decimals?.add(number)
      case .float(let number): float += number
      case .double(let number): double += number
      default: return
      }
    case .minimum, .maximum:
      guard value.isRankable else { return }
      if best.isNull || DerivedChange.isBetter(value, best, kind: kind) { best = value }
    case .latest:
      // If keys are equal, the greater row number wins.
      guard key.isRankable, self.key.isNull || !key.isLess(than: self.key) else { return }
      (self.key, best) = (key, value)
    case .computed: return
    }
  }

  func result() throws(RecordFault) -> Value {
    switch kind {
    case .count: return try Value(exactly: integers, type)
    case .sum:
      switch type {
      case .decimal: return try Value(decimals ?? DecimalSum())
      case .float: return .float(float)
      case .double: return .double(double)
      default: return try Value(exactly: integers, type)
      }
    case .minimum, .maximum, .latest, .computed: return best
    }
  }
}
