/// The result of a trial, from all its workers.
package struct TrialResult: Sendable {
  package private(set) var trial: Trial
  /// The number of cases that happened.
  package private(set) var count = 0
  package var seconds = 0.0
  package private(set) var notes: [String: Int] = [:]
  package var failures: [TortureFailure] = []
  /// The reason if the trial could not run.
  package var skipped: String?
  /// The portions that stayed below their quota.
  package private(set) var shortfalls: [String] = []

  package init(_ trial: Trial) { self.trial = trial }

  /// Notes that a portion has ended, and the number of its cases.
  package mutating func end(_ portion: Portion, count: Int) {
    if count < portion.quota { shortfalls.append("\(count) of \(portion.quota) from seed \(portion.first)") }
  }

  /// Adds a worker's output.
  package mutating func take(_ output: [UInt8]) {
    for line in String(decoding: output, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: "\t", maxSplits: 4, omittingEmptySubsequences: false).map(String.init)
      switch (words[0], words.count) {
      case ("fail", 5):
        failures.append(
          TortureFailure(
            test: trial.number, seed: UInt64(words[1]) ?? 0, step: Int(words[2]) ?? 0,
            image: words[3] == "-" ? nil : words[3], words[4]))
      case ("note", 3): notes[words[1], default: 0] += Int(words[2]) ?? 0
      case ("count", 3): count += Int(words[1]) ?? 0
      case ("skip", 2): skipped = words[1]
      default: print(line)
      }
    }
  }

  package var line: String {
    let time = String(Int(seconds)) + "." + String(Int(seconds * 10) % 10) + " s"
    var text = Self.left(String(trial.number), 3) + Self.left(trial.name, 28)
    if let absence = trial.absence { return text + absence.rawValue }
    if let skipped { return text + "skipped: " + skipped }
    text += Self.right("\(count)", 11) + " " + Self.left(trial.unit, 14) + Self.right(time, 9) + "   "
    text += failures.isEmpty ? (shortfalls.isEmpty ? "ok" : "FAILED") : "\(failures.count) FAILED"
    if !shortfalls.isEmpty { text += " (short: " + shortfalls.joined(separator: ", ") + ")" }
    let details = notes.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    if !details.isEmpty { text += "   [" + details.joined(separator: ", ") + "]" }
    return text
  }

  /// True if the trial passed, or if this machine cannot run it. False if this build lacks it.
  package var isGood: Bool {
    trial.absence == nil && (skipped != nil || failures.isEmpty && shortfalls.isEmpty && count > 0)
  }

  /// The last line of a run, and whether the run is good: at least one trial was run, and all
  /// trials of this build are good.
  package static func summary(_ results: [TrialResult]) -> (line: String, isGood: Bool) {
    let present = results.filter { $0.trial.absence == nil }
    let bad = present.count { !$0.isGood }
    let seconds = Int(present.reduce(0) { $0 + $1.seconds })
    var line = "\(present.count) \(present.count == 1 ? "trial" : "trials") in \(seconds) s"
    line += bad > 0 ? ", \(bad) not good" : present.isEmpty ? "" : ", all good"
    for result in results {
      if let absence = result.trial.absence { line += "; trial \(result.trial.number) is \(absence.rawValue)" }
    }
    return (line, bad == 0 && !present.isEmpty)
  }

  /// The results as JSON. Trials that this build lacks are left out.
  package static func json(_ results: [TrialResult]) -> String {
    let rows = results.filter { $0.trial.absence == nil }.map { result in
      "  {\"test\": \(result.trial.number), \"name\": \"\(result.trial.name)\", \"count\": \(result.count), "
        + "\"quota\": \(result.trial.quota), \"short\": \(result.shortfalls.count), "
        + "\"failures\": \(result.failures.count), \"seconds\": \(Double(Int(result.seconds * 100)) / 100)}"
    }
    return "[\n" + rows.joined(separator: ",\n") + "\n]\n"
  }

  private static func left(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  private static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
