/// A set of mostly consecutive numbers. Its memory grows with the number of runs.
package struct NumberRuns {
  private var runs: [ClosedRange<UInt64>] = []

  package init() {}

  package var isEmpty: Bool { runs.isEmpty }

  /// Adds a new number. It can be found after the runs are ``sorted``.
  package mutating func insert(_ number: UInt64) {
    if let last = runs.last, last.upperBound < .max, last.upperBound + 1 == number {
      runs[runs.count - 1] = last.lowerBound...number
    } else {
      runs.append(number...number)
    }
  }

  /// The set with sorted runs.
  package var sorted: NumberRuns {
    var sorted = self
    sorted.runs.sort { $0.lowerBound < $1.lowerBound }
    return sorted
  }

  /// Whether the set contains a number. The runs must be sorted.
  package func contains(_ number: UInt64) -> Bool {
    var (low, high) = (0, runs.count)
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].upperBound < number { low = middle + 1 } else { high = middle }
    }
    return low < runs.count && runs[low].contains(number)
  }

  /// Passes the numbers from `start` on to `body`, in the order of their runs.
  package func forEach<Failure: Error>(
    from start: UInt64 = 0, _ body: (UInt64) throws(Failure) -> Void
  ) throws(Failure) {
    for run in runs where run.upperBound >= start {
      for number in max(start, run.lowerBound)...run.upperBound { try body(number) }
    }
  }
}
