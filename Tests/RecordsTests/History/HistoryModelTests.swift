import RoostFile
import RoostPages
import RoostTestSupport
import RoostTrees
import Synchronization
import Testing

@testable import RoostRecords

/// Random transactions with savepoints, errors, pruning and crashes. The history must equal the
/// ledger.
@Suite struct HistoryModelTests {
  private struct Stop: Error {}

  private static func options() -> StoreOptions {
    var options = StoreOptions()
    options.checkpointing = .inline
    options.segmentBytes = 32768
    options.logBytes = 120_000
    options.draftBytes = 100 * 4096
    options.fanoutLimit = 8
    return options
  }

  /// A clock that stops, runs and jumps back.
  private final class Time: Sendable {
    private let now = Atomic<UInt64>(1_700_000_000_000)
    private let calls = Atomic<UInt64>(0)

    func read() -> UInt64 {
      let call = calls.add(1, ordering: .relaxed).newValue
      if call % 11 == 0 { return now.subtract(5000, ordering: .relaxed).newValue }
      return call % 3 == 0 ? now.add(17, ordering: .relaxed).newValue : now.load(ordering: .relaxed)
    }
  }

  /// One transaction on both sides.
  private func transact(_ store: RecordStore, _ ledger: inout HistoryLedger, _ generator: inout SplitMix64) throws {
    var next = ledger
    let author = ["", "app", "sync"][generator.below(3)]
    next.begin(author)
    try next.reserve(store, &generator)
    ledger.reserved = next.reserved
    do {
      try store.write(generator.chance(1, in: 2) ? .full : .relaxed, author: author) { writer in
        for _ in 0..<generator.below(8) {
          try next.change(writer.table("Track"), &generator)
        }
        if generator.chance(1, in: 3) {
          var inner = next
          let keeps = generator.chance(1, in: 2)
          do {
            try writer.savepoint {
              for _ in 0..<generator.below(6) { try inner.change(writer.table("Track"), &generator) }
              if generator.chance(1, in: 3) {
                let isKept = generator.chance(1, in: 2)
                var innermost = inner
                do {
                  try writer.savepoint {
                    for _ in 0..<3 { try innermost.change(writer.table("Track"), &generator) }
                    if !isKept { throw Stop() }
                  }
                  inner = innermost
                } catch is Stop {}
              }
              if generator.chance(1, in: 6) {
                try writer.change { catalog in
                  try catalog.change(entity: "Track") { (entity) throws(RecordFault) in
                    try entity.add("more \(entity.fields.count)", .int32, initial: .int(7))
                  }
                }
                inner.page.isCatalogChanged = true
                inner.hasRecords = true
              }
              if !keeps { throw Stop() }
            }
            next = inner
          } catch is Stop {}
          for _ in 0..<generator.below(3) {
            try next.change(writer.table("Track"), &generator)
          }
        }
        if generator.chance(1, in: 6) { throw Stop() }
      }
      next.commit()
      ledger = next
    } catch is Stop {}
  }

  private func check(_ store: RecordStore, _ ledger: HistoryLedger, isFull: Bool, _ context: String) throws {
    try store.read { reader in
      let found = try HistoryLedger.pages(reader)
      #expect(found.map(\.page) == ledger.pages, "\(context)")
      if isFull { try HistoryLedger.rebuild(reader, context) }
      // From any place, the rest follows.
      for (index, (_, token)) in found.enumerated() where index % 7 == 3 {
        let rest = try HistoryLedger.pages(reader, after: token).map(\.page)
        #expect(rest == Array(ledger.pages[(index + 1)...]), "\(context) after \(token.transaction)")
      }
      let none = try HistoryLedger.pages(reader, after: reader.latestToken)
      #expect(none.isEmpty, "\(context)")
    }
  }

  @Test(arguments: UInt64(1)...16) func `the history is correct after savepoints, errors, crashes and pruning`(
    seed: UInt64
  ) throws {
    var generator = SplitMix64(seed: seed)
    let time = Time()
    var fileSystem = SimulatedFileSystem()
    fileSystem.recordsSteps = false
    let reserves = seed > 8
    var store = try RecordStore(
      "/a.roost", options: Self.options(), reservesRows: reserves, fileSystem: fileSystem, clock: { time.read() })
    let isFull = seed % 2 == 0
    try store.write { try $0.setHistory(isFull ? .full : .changes) }
    try store.write { try $0.change { $0 = try HistoryLedger.catalog() } }
    var ledger = HistoryLedger()
    if reserves { ledger.reserved = [] }
    ledger.number = 2
    ledger.pages = [HistoryLedger.Page(number: 2, isCatalogChanged: true)]
    if !isFull {
      // Recording changes is the default, so there was no transaction to switch it on.
      ledger.number = 1
      ledger.pages[0].number = 1
    }
    var isPruned = false
    for round in 0..<150 {
      let context = "seed \(seed), round \(round)"
      try transact(store, &ledger, &generator)
      if generator.chance(1, in: 12) {
        if generator.chance(1, in: 2) {
          try store.close()
        } else {
          // Unsynced data is lost, so everything is synced first.
          try store.write { _ = try $0.removeConsumer("nobody") }
          try store.write { try $0.setConsumer("all", try $0.latestToken) }
          try store.write { try $0.removeConsumer("all") }
          ledger.number += 2
          fileSystem = fileSystem.crashPoint().image(CrashChoice.none)
          fileSystem.recordsSteps = false
        }
        store = try RecordStore(
          "/a.roost", options: Self.options(), reservesRows: reserves, fileSystem: fileSystem, clock: { time.read() })
        if reserves { ledger.reserved = [] }
      }
      if generator.chance(1, in: 25), let some = ledger.pages.randomElement(using: &generator), !isFull {
        let token = try store.read { reader in
          try HistoryLedger.pages(reader).first { $0.page.number == some.number }?.token
        }
        let floor = try store.write { try $0.pruneHistory(through: #require(token)).floor }
        #expect(floor == some.number, "\(context)")
        ledger.number += 1
        ledger.pages.removeAll { $0.number <= floor }
        isPruned = true
        try store.read { reader in
          let known = try #require(token)
          let first = HistoryPlace(HistoryStoreID(high: known.storeHigh, low: known.storeLow), 0, stamp: .init(bits: 0))
          let fault = #expect(throws: RecordFault.self) { try reader.history(after: first) }
          #expect(fault?.code == .expired)
          let oldest = try reader.oldestToken
          #expect(oldest == known)
        }
      }
      if round % 10 == 9 { try check(store, ledger, isFull: isFull && !isPruned, context) }
    }
    try store.close()
  }

  /// Commits that are not synced may be lost in a crash, in order: the remaining history is its
  /// beginning.
  @Test(arguments: UInt64(1)...4) func `after a crash at any point history and rows agree`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let fileSystem = SimulatedFileSystem()
    let time = Time()
    let reserves = seed % 2 == 0
    let store = try RecordStore(
      "/a.roost", options: Self.options(), reservesRows: reserves, fileSystem: fileSystem, clock: { time.read() })
    try store.write { try $0.setHistory(.full) }
    try store.write { try $0.change { $0 = try HistoryLedger.catalog() } }
    var ledger = HistoryLedger()
    if reserves { ledger.reserved = [] }
    ledger.number = 2
    ledger.pages = [HistoryLedger.Page(number: 2, isCatalogChanged: true)]
    var points: [CrashPoint] = []
    for _ in 0..<90 {
      try transact(store, &ledger, &generator)
      points.append(fileSystem.crashPoint())
    }
    try check(store, ledger, isFull: true, "seed \(seed)")
    var images = 0
    for point in points {
      for image in point.images(.brief) where generator.chance(1, in: 6) {
        image.recordsSteps = false
        images += 1
        let context = "seed \(seed), step \(point.step), \(image.choice.map(\.description) ?? "")"
        let again = try RecordStore("/a.roost", options: Self.options(), fileSystem: image, clock: { time.read() })
        try again.read { reader in
          guard reader.catalog.entity("Track") != nil else { return }
          let found = try HistoryLedger.pages(reader).map(\.page)
          #expect(found == Array(ledger.pages.prefix(found.count)), "\(context)")
          try HistoryLedger.rebuild(reader, context)
          let latest = try reader.latestToken.transaction
          #expect(ledger.pages.dropFirst(found.count).allSatisfy { $0.number > latest }, "\(context)")
        }
        try again.close()
      }
    }
    #expect(images > 50)
    try store.close()
  }

  /// The disk is full in the middle of a row, of an index, or of the entry itself.
  @Test(arguments: [UInt64(1), 2, 3]) func `a change that fails in the middle leaves nothing in the history`(
    seed: UInt64
  ) throws {
    var generator = SplitMix64(seed: seed)
    var options = Self.options()
    options.mostPages = 140 + UInt32(seed)
    options.draftBytes = 1 << 20
    let fileSystem = SimulatedFileSystem()
    fileSystem.recordsSteps = false
    var store = try RecordStore("/a.roost", options: options, fileSystem: fileSystem)
    try store.write { writer in
      try writer.setHistory(.full)
      try writer.change { $0 = try HistoryLedger.catalog() }
    }
    var (failed, undone, whole, names) = (0, 0, 0, 0)
    func insert(_ table: TableWriter) throws {
      names += 1
      let text = String(UInt64(generator.next()), radix: 36)
      try table.insert(["id": .string("\(names)"), "genre": .string(text), "text": .string(text + text)])
    }
    for round in 0..<80 {
      do {
        try store.write { writer in
          do {
            try writer.savepoint { for _ in 0..<generator.below(40) { try insert(writer.table("Track")) } }
          } catch let error as StoreError {
            #expect(error.code == .diskFull)
            undone += 1
          }
          for _ in 0..<generator.below(30) { try insert(writer.table("Track")) }
        }
        whole += 1
      } catch let error as StoreError {
        #expect(error.code == .diskFull)
        failed += 1
        // Makes room, so that the next changes fail elsewhere.
        try? store.write { writer in
          let table = try writer.table("Track")
          for row in 1..<(names + 1) where generator.chance(1, in: 3) { try table.delete(RowID(UInt64(row))) }
        }
      }
      try store.read { try HistoryLedger.rebuild($0, "seed \(seed), round \(round)") }
    }
    #expect(failed > 5 && undone > 5 && whole > 5, "\(failed) failed, \(undone) undone, \(whole) whole")
    // The log is replayed into other places than those of the first run.
    options.mostPages *= 2
    store = try RecordStore("/a.roost", options: options, fileSystem: fileSystem.crashPoint().image(.all))
    try store.read { try HistoryLedger.rebuild($0, "seed \(seed), reopened") }
  }
}
