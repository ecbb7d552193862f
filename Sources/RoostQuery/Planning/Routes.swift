internal import RoostRecords

/// The routes of the questions that were asked of one ground. One thread uses them.
///
/// They hold on to the ground, so whoever keeps them lets them go with it.
package final class Routes {
  private enum State {
    /// It was planned, and found no route yet. Programs ask many questions once between two commits, which would be no gain; and with some
    /// constants, like nil, none is found.
    case asked(tries: Int)
    case found(Route)
    /// Each time it must be planned.
    case refused
  }

  /// More questions are not kept apart: the oldest go.
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

  /// Whether to plan it would give a route, though a count may do with less.
  func isWorthwhile(_ question: Question) -> Bool {
    guard let state = entries.first(where: { $0.question === question })?.state else {
      note(question) { nil }
      return false
    }
    if case .asked = state { return true }
    return false
  }

  /// Notes that a question was planned. `make` is called from the second time on.
  func note(_ question: Question, _ make: () throws -> Route?) rethrows {
    guard let place = entries.firstIndex(where: { $0.question === question }) else {
      if entries.count == Self.most { entries.removeFirst() }
      return entries.append((question, .asked(tries: 0)))
    }
    guard case .asked(let tries) = entries[place].state else { return }
    entries[place].state = tries + 1 < Self.mostTries ? .asked(tries: tries + 1) : .refused
    if let route = try make() { entries[place].state = .found(route) }
  }

  /// How many questions have a route, for tests.
  package var count: Int { entries.count { if case .found = $0.state { true } else { false } } }
}
