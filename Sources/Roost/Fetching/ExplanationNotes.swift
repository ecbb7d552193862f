/// Collects how the calls inside of `explain { }` read their rows.
final class ExplanationNotes {
  /// One for each call that is finished.
  private(set) var calls: [FetchExplanation] = []
  /// What the call that runs at the moment has read so far.
  private var parts: [FetchExplanation] = []

  func add(_ part: FetchExplanation) { parts.append(part) }

  /// Changes the explanation that was added last.
  func changeLast(_ change: (inout FetchExplanation) -> Void) {
    if let last = parts.indices.last { change(&parts[last]) }
  }

  /// Makes one explanation of a call: that of its first class, with those of the other classes in it.
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
  /// What `explain { }` collects; nil outside of it.
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
      case .sorted: "joined by sorted values"
      case .loop: "joined by comparing each with each"
      }
    addLine("\(way):")
    for line in other.description.split(separator: "\n") { addLine("  \(line)") }
  }
}
