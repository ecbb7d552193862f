import Foundation

/// Positions of positive values on a logarithmic axis, from one round value to another.
struct LogScale {
  let low, high: Double
  private let start, end: Double

  /// - Parameter values: not empty, all above zero.
  /// - Parameter step: whether the axis ends at powers of ten only, or also at 2 and 5 times one.
  init(_ values: [Double], from start: Double, to end: Double, byDecades: Bool) {
    precondition(!values.isEmpty && values.allSatisfy { $0 > 0 && $0.isFinite })
    let steps = byDecades ? [1.0] : [1.0, 2.0, 5.0]
    let (least, most) = (values.min()!, values.max()!)
    let round = Self.round(steps, log10(least), log10(most))
    let low = round.last { $0 <= least } ?? round[0]
    let high = round.first { $0 >= most } ?? round[round.count - 1]
    self.low = low
    self.high = high > low ? high : low * 10
    self.start = start
    self.end = end
  }

  private static func round(_ steps: [Double], _ low: Double, _ high: Double) -> [Double] {
    (Int(low.rounded(.down)) - 1...Int(high.rounded(.up)) + 1).flatMap { decade in
      steps.map { $0 * pow(10, Double(decade)) }
    }
  }

  func place(_ value: Double) -> Double { start + (end - start) * log(value / low) / log(high / low) }

  /// Round values whose labels have at least this much room.
  func ticks(_ room: Double) -> [Double] {
    let decade = abs(end - start) / log10(high / low)
    // From 2 to 5 and from 5 to 10 is the narrowest part, 0.3 of a decade.
    let steps = decade * 0.3 >= room ? [1.0, 2.0, 5.0] : [1.0]
    let all = Self.round(steps, log10(low), log10(high)).filter { $0 >= low * 0.999 && $0 <= high * 1.001 }
    let each = max(1, Int((room / decade).rounded(.up)))
    return each == 1 ? all : all.enumerated().filter { $0.offset % each == 0 }.map(\.element)
  }
}
