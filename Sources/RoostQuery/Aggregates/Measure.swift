package import RoostRecords

/// A value computed over many rows: a count, a sum, a least or a greatest value.
package struct Measure: Sendable {
  package enum Kind: Sendable { case count, sum, least, greatest }

  package var kind: Kind
  /// The expression to measure; nil counts rows. Rows for which it is nil are left out.
  package var value: Expression?

  package init(_ kind: Kind, _ value: Expression? = nil) {
    self.kind = kind
    self.value = value
  }
}

/// The result of one measure over a group.
package struct MeasureTally: Sendable {
  /// The number of values that are not nil.
  package var count = 0
  /// The sum of integers, which cannot overflow at any number of rows.
  package var integers: Int128 = 0
  package var floats = FloatSum()
  /// The least or the greatest value.
  package var bound: Value?
  /// The measure's value so far, while rows are read, if it is a number.
  private(set) var best = Cell.null

  package init() {}

  /// The tally of one value.
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

/// A group of rows: its keys and the results of the measures.
package struct TalliedGroup: Sendable {
  package var keys: [Value]
  package var tallies: [MeasureTally]
}
