package import RoostPages

/// The actions of a test on one store of rows from begin to end. The changes of a transaction are
/// drawn when it is played, from a seed and the present rows.
package struct RowScenario: Sendable {
  package enum Action: Sendable {
    case write(seed: UInt64, changes: Int, SyncMode, abandons: Bool)
    case checkpoint
    /// Closes the store and opens it again.
    case reopen
    /// Reads it through an opening for reading only, while it is open.
    case readOnly
  }

  package var options = StoreOptions()
  package var actions: [Action] = []
  /// Whether the history is full from the first transaction on.
  package var isFullHistory = true
  /// One text in this many does not fit into its row.
  package var largeOneIn = 12
  /// One transaction in this many may write a value of a megabyte.
  package var namedOneIn = 60

  /// Makes a scenario of this many actions with at most this many changes each.
  package init(_ seed: UInt64, actions count: Int = 22, changes: Int = 12) {
    var generator = SplitMix64(seed: seed &* 0x9E37_79B9 &+ 71)
    options = Scenario.options(&generator)
    // A store of rows has two dozen trees, so each transaction makes many pages.
    options.fanoutLimit = generator.pick([6, 12, 30, Int.max])
    options.draftBytes = generator.pick([40, 100, 400]) * 4096
    options.logBytes *= 2
    isFullHistory = generator.chance(2, in: 3)
    for _ in 0..<count {
      switch generator.below(20) {
      case 0: actions.append(.checkpoint)
      case 1, 2: actions.append(.reopen)
      case 3: actions.append(.readOnly)
      default:
        actions.append(
          .write(
            seed: generator.next(), changes: 1 + generator.below(changes),
            generator.chance(1, in: 3) ? .relaxed : .full,
            abandons: generator.chance(1, in: 12)))
      }
    }
  }
}
