package import RoostRecords

/// Measures the progress and the time of an import.
package final class ImportProgressClock {
  private let fraction: (RoostRecords.ImportCounts) -> Double?
  private let start = ContinuousClock.now

  /// - Parameter fraction: the part of the input that was handled; nil if its length is unknown.
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
