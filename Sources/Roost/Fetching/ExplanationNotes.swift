/// Collects how the calls inside `explain { }` read their rows.
final class ExplanationNotes {
  /// One explanation for each finished call.
  private(set) var calls: [FetchExplanation] = []
  /// The reads of the running call so far.
  private var parts: [FetchExplanation] = []

  func add(_ part: FetchExplanation) { parts.append(part) }

  /// Changes the last explanation.
  func changeLast(_ change: (inout FetchExplanation) -> Void) {
    if let last = parts.indices.last { change(&parts[last]) }
  }

  /// Makes one explanation of a call: that of its first class, which contains those of the other
  /// classes.
  func endCall(_ note: (inout FetchExplanation) -> Void) {
    guard var first = parts.first else { return }
    first.others = Array(parts.dropFirst())
    parts = []
    note(&first)
    for other in first.others { first.addOther(other) }
    calls.append(first)
  }

  func forgetCall() { parts = [] }
}

extension ContextState {
  /// The notes of `explain { }`; nil outside of it.
  var notes: ExplanationNotes? { explaining as? ExplanationNotes }
}

extension FetchExplanation {
  mutating func addLine(_ line: String) { description += "\n  " + line }

  fileprivate mutating func addOther(_ other: FetchExplanation) {
    let way =
      switch other.joining {
      case .none: "read beside it"
      case .table: "joined by a table of equal values"
      case .lookup: "joined by a table of equal values, after the rows that can match were looked up"
      case .merge: "merged along an index, in the order of the key"
      case .sorted: "joined by sorted values"
      case .loop: "joined by comparing each with each"
      }
    addLine("\(way):")
    for line in other.description.split(separator: "\n") { addLine("  \(line)") }
  }
}
