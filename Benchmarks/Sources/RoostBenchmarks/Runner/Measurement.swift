/// All runs of one operation by one engine at one size.
struct Measurement {
  let suite: String
  let operation: String
  let engine: String
  let size: Int

  private(set) var milliseconds: [Double] = []
  private(set) var peakMegabytes = 0.0
  /// The megabytes that the measured part of the newest run wrote.
  private(set) var writtenMegabytes = 0.0
  /// False after any run failed or had a wrong result. Such a measurement is in no table.
  private(set) var isChecked = true

  init(suite: String, operation: String, engine: String, size: Int) {
    self.suite = suite
    self.operation = operation
    self.engine = engine
    self.size = size
  }

  /// Makes a measurement from a line of a file. The file has the quickest run, the median and the
  /// slowest run; other runs get the median.
  init(_ line: JSONReport.Line) {
    self.init(suite: line.suite, operation: line.op, engine: line.engine, size: line.size)
    if line.runs > 1 {
      let between = Array(repeating: line.medianMs, count: line.runs - 2)
      milliseconds = [line.minMs] + between + [line.maxMs]
    } else {
      milliseconds = [line.medianMs]
    }
    peakMegabytes = line.peakMb
    writtenMegabytes = line.writtenMb
    isChecked = line.checked
  }

  mutating func add(_ sample: Sample, peakMegabytes peak: Double, writtenMegabytes written: Double) {
    milliseconds.append(sample.milliseconds)
    peakMegabytes = max(peakMegabytes, peak)
    writtenMegabytes = written
    if !sample.isRight { isChecked = false }
  }

  mutating func fail() {
    isChecked = false
  }

  /// Nil if no run was completed.
  var median: Double? {
    let sorted = milliseconds.sorted()
    guard !sorted.isEmpty else { return nil }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }

  /// The distance of the farthest run from the median, relative to the median. Nil if there are
  /// fewer than two runs.
  var spread: Double? {
    guard milliseconds.count > 1, let median, median > 0 else { return nil }
    return milliseconds.map { abs($0 - median) }.max()! / median
  }

  /// The median, if the measurement is valid.
  var result: Double? {
    isChecked ? median : nil
  }
}
