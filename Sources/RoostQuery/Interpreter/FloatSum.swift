/// A sum of floating-point numbers that loses little precision in any order.
///
/// It adds up the rounding errors separately (Neumaier's algorithm).
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

  /// NaN and infinity give what Swift's `+` gives.
  package var total: Double { sum.isFinite ? sum + lost : sum }
}
