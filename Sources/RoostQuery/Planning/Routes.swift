internal import RoostRecords

/// The routes of the questions that were asked of one ground. One thread uses them.
///
/// They hold the ground. Their owner must release both together.
package final class Routes {
  private enum State {
    /// The question was planned but has no route yet. Programs ask many questions only once between
    /// two commits, and a route would not pay then. Some constants, such as nil, give no route.
    case asked(tries: Int)
    case found(Route)
    /// The question must be planned each time.
    case refused
  }

  /// At most this many questions are kept; the oldest is removed.
  private static let most = 64
  private static let mostTries = 4

  @exclusivity(unchecked) private var entries: [(question: Question, state: State)] = []

  package init() {}

  func route(_ question: Question) -> Route? {
    for place in entries.indices where entries[place].question === question {
      if case .found(let route) = entries[place].state { return route }
      return nil
    }
    return nil
  }

  /// Whether planning the question would give a route. A count alone may need no plan.
  func isWorthwhile(_ question: Question) -> Bool {
    guard let state = entries.first(where: { $0.question === question })?.state else {
      note(question) { nil }
      return false
    }
    if case .asked = state { return true }
    return false
  }

  /// Notes that a question was planned. It calls `make` from the second time on.
  func note(_ question: Question, _ make: () throws -> Route?) rethrows {
    guard let place = entries.firstIndex(where: { $0.question === question }) else {
      if entries.count == Self.most { entries.removeFirst() }
      return entries.append((question, .asked(tries: 0)))
    }
    guard case .asked(let tries) = entries[place].state else { return }
    entries[place].state = tries + 1 < Self.mostTries ? .asked(tries: tries + 1) : .refused
    if let route = try make() { entries[place].state = .found(route) }
  }

  /// The number of questions that have a route, for tests.
  package var count: Int { entries.count { if case .found = $0.state { true } else { false } } }
}
