import RoostFile
import RoostPages
import RoostTestSupport
import Testing

@testable import RoostRecords

/// A store as it was at a place in its history.
@Suite struct RewindTests {
  #if DEBUG
    private static let seeds = UInt64(1)...12
  #else
    private static let seeds = UInt64(1)...60
  #endif

  @Test func `each commit of a full history is shown as it was`() throws {
    var rewind = RowRewind()
    for seed in Self.seeds {
      var scenario = RowScenario(seed, actions: 40, changes: 14)
      scenario.isFullHistory = true
      let play = RowPlay(scenario)
      play.run()
      let store = try #require(play.store)
      for commit in 0...play.past.begun {
        let complaint = try rewind.complaint(store, commit: commit, play.past.models[commit].state)
        #expect(complaint == nil, "seed \(seed)")
      }
      // The store itself has not changed.
      play.examine()
      play.close()
      #expect(play.failures.isEmpty, "seed \(seed)")
    }
    let count = Self.seeds.count
    #expect(rewind.shown > 10 * count && rewind.crossed > count && rewind.refused > 0, "\(rewind)")
  }

  @Test func `the past changes nothing`() throws {
    let store = try RecordStore(inMemory: StoreOptions())
    try store.write { writer in
      try writer.setHistory(.full)
      try writer.change { $0 = try HistoryLedger.catalog() }
    }
    let past = try store.rewound(to: store.read { try $0.latestToken })
    #expect(throws: StoreError.self) { try past.write { _ in } }
    #expect(throws: StoreError.self) { try past.reserve(of: EntityID(1)) }
  }
}
