/// The goals of Roost's objects compared with SQLite and GRDB, and the results of a run.
///
/// A goal is a ratio of two times in one run, or of two sizes. A missed goal does not fail the run. `Docs/PERFORMANCE.md` gives the reasons.
struct Goals {
  private struct Goal {
    let operation: String
    /// For each peer the largest allowed ratio of Roost's time to the peer's.
    let most: [(peer: String, ratio: Double)]
  }

  private static let (tuned, objects, records) = ("sqlite-tuned", "sqlite-objects", "grdb")

  private static let all: [Goal] = [
    Goal(operation: "A1", most: [(tuned, 0.2), (objects, 0.18), (records, 0.08)]),
    Goal(operation: "A3", most: [(tuned, 0.35), (records, 0.12)]),
    Goal(operation: "A4", most: [(tuned, 0.22), (records, 0.12)]),
    Goal(operation: "B1", most: [(tuned, 0.8), (records, 0.7)]),
    Goal(operation: "B8", most: [(tuned, 0.2)]),
    Goal(operation: "C", most: [(tuned, 0.9), (objects, 0.6), (records, 0.04)]),
    Goal(operation: "C2", most: [(tuned, 0.9), (objects, 0.6), (records, 0.04)]),
    Goal(operation: "C2-first", most: [(tuned, 0.9), (objects, 0.6)]),
    Goal(operation: "D", most: [(tuned, 1.5), (objects, 0.6), (records, 0.25)]),
    Goal(operation: "two", most: [(tuned, 0.9), (objects, 0.35)]),
    Goal(operation: "E1", most: [(tuned, 0.06)]),
    Goal(operation: "E2", most: [(tuned, 0.5)]),
    Goal(operation: "E3", most: [(tuned, 0.02)]),
    Goal(operation: "F", most: [(tuned, 3), (objects, 0.6), (records, 0.6)]),
    Goal(operation: "F2", most: [(tuned, 1), (objects, 0.6), (records, 0.02)]),
    Goal(operation: "G", most: [(tuned, 0.5), (objects, 0.4), (records, 0.05)]),
    Goal(operation: "H", most: [(tuned, 0.25), (objects, 0.4), (records, 0.12)]),
    Goal(operation: "N1", most: [(tuned, 0.6)]),
    Goal(operation: "N2", most: [(tuned, 0.6)]),
    Goal(operation: "T", most: [(tuned, 1), (objects, 0.7)]),
    Goal(operation: "U", most: [(tuned, 0.5), (objects, 0.5), (records, 0.15)]),
    Goal(operation: "K", most: [(tuned, 1.1)]),
    Goal(operation: "open", most: [("sqlite", 1)]),
  ]

  /// The valid time of an operation by an engine at a size. For an operation with a fixed size the
  /// last argument is ignored.
  let result: (String, String, Int) -> Double?

  /// A line for each goal and size for which the run has both times; empty if there is none.
  func table(_ sizes: [Int]) -> String {
    var table = MarkdownTable(["op", "beside", "goal"] + sizes.map { "\(Figures.grouped($0)) entries" })
    for goal in Self.all {
      for (peer, most) in goal.most {
        let cells = sizes.map { cell(goal.operation, peer, most, $0) }
        if cells.contains(where: { $0 != "" }) { table.add([goal.operation, peer, Figures.ratio(most)] + cells) }
      }
    }
    return table.isEmpty ? "" : table.text
  }

  private func cell(_ operation: String, _ peer: String, _ most: Double, _ size: Int) -> String {
    guard let own = result(operation, EngineRegistry.subject, size), let other = result(operation, peer, size),
      other > 0
    else { return "" }
    let ratio = own / other
    return Figures.ratio(ratio) + (ratio <= most * 1.005 ? "" : ", missed")
  }
}
