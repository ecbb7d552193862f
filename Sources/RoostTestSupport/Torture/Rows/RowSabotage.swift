#if DEBUG
  package import RoostPages

  /// Trial 17 over rows: tests must notice what the module of records omits.
  extension RowTrials {
    /// The omission, and the number that must notice it alone.
    package static let omissions: [(omission: Omission, number: Int)] = [
      (.indexChange, 6), (.linkBack, 6), (.replayedHistory, 1), (.indexChange, 1), (.linkBack, 4),
      (.pageCopy, 19), (.newPageCopy, 19), (.pageCopy, 6), (.newPageCopy, 6),
    ]

    package static func omit(_ place: Int, _ seed: UInt64, record: TortureRecord) {
      record.count += 1
      let (omission, number) = omissions[place]
      let inner = TortureRecord(test: number)
      inner.onPlace = record.onPlace
      inner.mostFailures = 1
      var trials: UInt64 = 0
      while inner.failures.isEmpty && trials < 40 {
        trials += 1
        attempt(omission, number, seed: trials, record: inner)
      }
      record.note("\(omission.rawValue) seen by \(number) at seed", Int(trials))
      if inner.failures.isEmpty {
        record.fail(
          seed: seed, image: omission.rawValue, "trial \(number) does not notice that \(omission.rawValue) is left out"
        )
      }
    }

    private static func attempt(_ omission: Omission, _ number: Int, seed: UInt64, record: TortureRecord) {
      var scenario = RowScenario(seed, actions: number == 4 ? 5 : 14, changes: 12)
      scenario.options.omission = omission
      switch number {
      case 1:
        let sweep = RowCrashSweep(scenario, seed: seed, record)
        sweep.stride = 9
        sweep.policy = CrashPolicy(exhaustiveUpTo: 1, ofEach: 1, randoms: 1, garbage: 0)
        sweep.run()
      case 4:
        let sweep = RowFaultSweep(scenario, seed: seed, record)
        sweep.stride = 60
        sweep.run()
      case 19: flipSingles(seed, record, draws: 4) { $0.omission = omission }
      default: model(seed, record, scenario: scenario)
      }
    }
  }
#endif
