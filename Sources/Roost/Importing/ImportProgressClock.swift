package import RoostRecords

/// Says how far an import came, and how long that took.
package final class ImportProgressClock {
  private let fraction: (RoostRecords.ImportCounts) -> Double?
  private let start = ContinuousClock.now

  /// - Parameter fraction: how much of the input is dealt with; nil where its length is unknown.
  package init(_ fraction: @escaping (RoostRecords.ImportCounts) -> Double? = { _ in nil }) {
    self.fraction = fraction
  }

  package func progress(_ plain: RoostRecords.ImportCounts) -> ImportProgress {
    var progress = ImportProgress(plain)
    progress.elapsed = ContinuousClock.now - start
    progress.fraction = fraction(plain)
    return progress
  }
}
