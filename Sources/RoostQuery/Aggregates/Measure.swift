package import RoostRecords

/// What is asked of many rows at once.
package struct Measure: Sendable {
  package enum Kind: Sendable { case count, sum, least, greatest }

  package var kind: Kind
  /// Of what; nil to count rows. Rows where it is nil are left out.
  package var value: Expression?

  package init(_ kind: Kind, _ value: Expression? = nil) {
    self.kind = kind
    self.value = value
  }
}

/// What one measure comes to.
package struct MeasureTally: Sendable {
  /// How many values there were that are not nil.
  package var count = 0
  /// The sum of integers. No number of rows makes it overflow.
  package var integers: Int128 = 0
  package var floats = FloatSum()
  /// The least or the greatest value.
  package var bound: Value?
  /// The measure's value so far, while rows are read, if it is a number.
  private(set) var best = Cell.null

  package init() {}

  /// That of one value.
  package init(_ value: Value) {
    if value.isNull { return }
    (count, bound) = (1, value)
    switch value {
    case .int(let number): integers = Int128(number)
    case .uint(let number): integers = Int128(number)
    case .float(let number): floats.add(Double(number))
    case .double(let number): floats.add(number)
    default: break
    }
  }

  @inline(__always)
  mutating func takeBest(_ cell: Cell, isBetter: (Cell, Cell) -> Bool) {
    if best.isNull || isBetter(cell, best) { best = cell }
  }
}

/// A sum of floating numbers in which little is lost, whatever the order they come in.
///
/// What each addition loses is added up by itself (Neumaier's way).
package struct FloatSum: Sendable {
  private var sum = 0.0
  private var lost = 0.0

  package init() {}

  package mutating func add(_ number: Double) {
    let next = sum + number
    lost += sum.magnitude >= number.magnitude ? (sum - next) + number : (number - next) + sum
    sum = next
  }

  package mutating func add(_ other: FloatSum) {
    add(other.sum)
    lost += other.lost
  }

  /// As Swift adds: what is no number stays none, and infinity stays infinite.
  package var total: Double { sum.isFinite ? sum + lost : sum }
}

/// One group of rows, with what they have in common.
package struct TalliedGroup: Sendable {
  package var keys: [Value]
  package var tallies: [MeasureTally]
}
