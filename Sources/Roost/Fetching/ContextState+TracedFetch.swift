internal import RoostGraph
internal import RoostQuery

extension ContextState {
  /// Runs a fetch and reports it with its plan.
  func traced<T: PersistentModel, Result>(
    _ kind: TraceEvent.Kind, _ descriptor: FetchDescriptor<T>, place: CodePlace?,
    note: (Result, inout TraceEvent) -> Void, body: () throws -> Result
  ) throws -> Result {
    let plan = LazyText { [self] in
      try? call(.fetching) { try FetchRun(descriptor, self).planText() }
    }
    return try traced(kind, of: T.self, place, plan: plan, note: note, body: body)
  }
}

extension FetchRun {
  /// Describes the plan of a fetch without running it.
  fileprivate func planText() throws -> String {
    let part = try part()
    let isAlone = part.isEngines
    let query = part.query(isSorted: true, offset: isAlone ? offset : 0, limit: isAlone ? limit : nil)
    var lines = [try part.graph.planner().plan(query).explanation]
    for test in part.tests { lines.append("  test in memory \(test)") }
    return lines.joined(separator: "\n")
  }
}
