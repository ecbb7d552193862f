import Foundation

/// All measurements as one JSON array, one element on each line, keys always in the same order.
///
/// A measurement that failed its check has `"checked": false`; one without any run is left out.
enum JSONReport {
  /// A line of the file.
  struct Line: Decodable {
    let suite, op, engine: String
    let size, runs: Int
    let medianMs, minMs, maxMs, peakMb, writtenMb: Double
    let checked: Bool
  }

  /// Reads a file that ``text(_:)`` wrote.
  static func measurements(in file: String) throws(Misuse) -> [Measurement] {
    let lines: [Line]
    do {
      let decoder = JSONDecoder()
      decoder.keyDecodingStrategy = .convertFromSnakeCase
      lines = try decoder.decode([Line].self, from: Data(contentsOf: URL(filePath: file)))
    } catch {
      throw Misuse("\(file) holds no measurements of this program: \(error)")
    }
    return lines.map(Measurement.init)
  }

  static func text(_ measurements: [Measurement]) -> String {
    let lines = measurements.compactMap(line)
    return lines.isEmpty ? "[]\n" : "[\n" + lines.joined(separator: ",\n") + "\n]\n"
  }

  private static func line(_ measurement: Measurement) -> String? {
    guard let median = measurement.median, let least = measurement.milliseconds.min(),
      let most = measurement.milliseconds.max()
    else { return nil }
    let fields = [
      ("suite", quoted(measurement.suite)),
      ("op", quoted(measurement.operation)),
      ("engine", quoted(measurement.engine)),
      ("size", String(measurement.size)),
      ("runs", String(measurement.milliseconds.count)),
      ("median_ms", number(median)),
      ("min_ms", number(least)),
      ("max_ms", number(most)),
      ("peak_mb", String(format: "%.1f", measurement.peakMegabytes)),
      ("written_mb", String(format: "%.3f", measurement.writtenMegabytes)),
      ("checked", String(measurement.isChecked)),
    ]
    return "  {" + fields.map { "\"\($0.0)\": \($0.1)" }.joined(separator: ", ") + "}"
  }

  private static func number(_ value: Double) -> String {
    String(format: "%.3f", value)
  }

  /// Names of suites, operations and engines are plain words, so nothing is escaped.
  private static func quoted(_ name: String) -> String {
    precondition(name.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C })
    return "\"\(name)\""
  }
}
