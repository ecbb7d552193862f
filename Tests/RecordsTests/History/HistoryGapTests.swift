import RoostFile
import RoostPages
import RoostTestSupport
import Testing

@testable import RoostRecords

/// From any token that was ever given, a reader gets everything that happened since, or an error.
@Suite struct HistoryGapTests {
  private static func options() -> StoreOptions {
    var options = StoreOptions()
    options.checkpointing = .inline
    options.segmentBytes = 32768
    options.logBytes = 120_000
    options.draftBytes = 100 * 4096
    options.fanoutLimit = 8
    return options
  }

  /// A transaction and the row that it inserted.
  private struct Page: Hashable {
    var number: UInt64
    var row: UInt64
  }

  /// The changes of each commit, and every token that a reader ever took.
  private struct Truth {
    var pages: [Page] = []
    var isOn = true
    /// The transactions that are not in the history.
    var unknown: [UInt64] = []
    var floor: UInt64 = 0
    var tokens: [(token: HistoryPlace, isLost: Bool)] = []
  }

  private func check(_ store: RecordStore, _ truth: Truth, _ context: String) throws -> (whole: Int, expired: Int) {
    var (whole, expired) = (0, 0)
    try store.read { reader in
      for (token, isLost) in truth.tokens {
        let expected = truth.pages.filter { $0.number > token.transaction }
        let isKnown =
          !isLost && token.transaction >= truth.floor && truth.unknown.allSatisfy { $0 <= token.transaction }
        do {
          let cursor = try reader.history(after: token)
          var found: [Page] = []
          while let next = try cursor.move() {
            try next.entry.changes { found.append(Page(number: next.number, row: $0.row.number)) }
          }
          #expect(found == expected, "\(context), token \(token.transaction)")
          #expect(isKnown, "\(context), token \(token.transaction)")
          whole += 1
        } catch let fault as RecordFault {
          #expect(fault.code == .expired && !isKnown, "\(context), token \(token.transaction): \(fault)")
          expired += 1
        }
      }
    }
    return (whole, expired)
  }

  @Test(arguments: UInt64(1)...10) func `a reader gets everything, or an error`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    var fileSystem = SimulatedFileSystem()
    fileSystem.recordsSteps = false
    var store = try RecordStore("/a.roost", options: Self.options(), fileSystem: fileSystem)
    try store.write { try $0.change { $0 = try HistoryLedger.catalog() } }
    var truth = Truth()
    var (whole, expired) = (0, 0)
    for round in 0..<400 {
      let context = "seed \(seed), round \(round)"
      switch generator.below(40) {
      case 0:
        try store.write { try $0.setHistory(truth.isOn ? .off : .changes) }
        let number = try store.read { try $0.latestToken.transaction }
        // The transaction that switches the history on changes no rows. But a reader with an
        // earlier token has missed something.
        if !truth.isOn { truth.unknown.append(number) }
        truth.isOn.toggle()
      case 1 where !truth.tokens.isEmpty:
        let token = generator.pick(truth.tokens).token
        let floor = try store.write { try $0.pruneHistory(through: token).floor }
        // An unfinished gap stays.
        truth.floor = max(truth.floor, floor)
        #expect(try store.read { try $0.oldestToken.transaction } == truth.floor, "\(context)")
        if !truth.isOn { truth.unknown.append(try store.read { try $0.latestToken.transaction }) }
      case 2:
        try store.close()
        store = try RecordStore("/a.roost", options: Self.options(), fileSystem: fileSystem)
      case 3:
        fileSystem = fileSystem.crashPoint().image(generator.chance(1, in: 2) ? .none : .random(generator.next()))
        fileSystem.recordsSteps = false
        store = try RecordStore("/a.roost", options: Self.options(), fileSystem: fileSystem)
        let (latest, isOn) = try store.read { (try $0.latestToken.transaction, try $0.historyMode != .off) }
        truth.pages.removeAll { $0.number > latest }
        truth.unknown.removeAll { $0 > latest }
        truth.isOn = isOn
        for index in truth.tokens.indices where truth.tokens[index].token.transaction > latest {
          truth.tokens[index].isLost = true
        }
      default:
        let row = try store.write(generator.chance(1, in: 3) ? .full : .relaxed) { writer in
          try writer.table("Other").insert(["name": .string("\(round)")])
        }
        let number = try store.read { try $0.latestToken.transaction }
        truth.pages.append(Page(number: number, row: row.number))
        if !truth.isOn { truth.unknown.append(number) }
      }
      if generator.chance(1, in: 4) { truth.tokens.append((try store.read { try $0.latestToken }, false)) }
      if round % 20 == 19 {
        let found = try check(store, truth, context)
        (whole, expired) = (whole + found.whole, expired + found.expired)
      }
    }
    #expect(whole > 20 && expired > 20, "seed \(seed): \(whole) whole, \(expired) expired")
    try store.close()
  }
}
