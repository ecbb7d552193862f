import RoostFile
import RoostPages
import RoostTestSupport
import Testing

@testable import RoostRecords

/// A store as it was at a place of its history.
@Suite struct RewindTests {
  /// Plays random work, and then goes back to every commit.
  @Test(arguments: UInt64(1)...12) func `each commit of a full history is shown as it was`(seed: UInt64) throws {
    var scenario = RowScenario(seed, actions: 40, changes: 14)
    scenario.isFullHistory = true
    let play = RowPlay(scenario)
    play.run()
    #expect(play.failures.isEmpty)
    let store = try #require(play.store)
    var (shown, refused) = (0, 0)
    for number in 0...play.past.begun {
      do {
        let token = try store.read { try $0.token(behind: UInt64(number)) }
        // Of what was removed there is no token.
        if token.transaction != UInt64(number) { continue }
        let then = try store.rewound(to: token)
        shown += 1
        var wanted = play.past.models[number].state
        try then.read { reader in
          let found = try RowState(reader)
          // The catalog is today's, and so are the settings of the history.
          (wanted.catalog, wanted.mode, wanted.consumers) = (found.catalog, found.mode, found.consumers)
          if number > 0 { #expect(found.difference(from: wanted) == nil, "commit \(number)") }
        }
        // The history goes on to today, so it tells of other rows.
        #expect(try RowAudit.findings(then).filter { $0.kind != .history }.isEmpty, "commit \(number)")
        try then.close()
      } catch let fault as RecordFault {
        #expect(fault.code == .expired)
        refused += 1
      }
    }
    #expect(shown > 0 && shown + refused > 10)
    // The store itself is as it was.
    play.examine()
    #expect(play.failures.isEmpty)
    play.close()
    #expect(play.failures.isEmpty)
  }
}
