import RoostCare
import RoostFile
import RoostPages
import RoostTestSupport
import RoostTrees
import Testing

@testable import RoostRecords

/// The program and the process that wrote a transaction.
@Suite struct HistoryWriterTests {
  private static let path = "/a.roost"
  private let fileSystem = SimulatedFileSystem()

  init() { fileSystem.recordsSteps = false }

  private static func options() -> StoreOptions {
    var options = StoreOptions()
    options.checkpointing = .manual
    return options
  }

  private func open(
    _ writer: HistoryWriter = .unknown, in files: SimulatedFileSystem? = nil
  ) throws -> RecordStore {
    try RecordStore(Self.path, options: Self.options(), fileSystem: files ?? fileSystem, writer: { writer })
  }

  private func make(_ writer: HistoryWriter, mode: HistoryMode = .changes) throws -> RecordStore {
    let store = try open(writer)
    try store.write { writer in
      if mode != .changes { try writer.setHistory(mode) }
      try writer.change { $0 = try HistoryLedger.catalog() }
    }
    return store
  }

  private static func insert(_ store: RecordStore, author: String = "") throws {
    try store.write(author: author) { try $0.table("Other").insert(["name": .string("n")]) }
  }

  /// One commit by each writer, each in its own opening.
  private func commits(by writers: [HistoryWriter]) throws {
    for writer in writers {
      let store = try open(writer)
      try Self.insert(store)
      try store.close()
    }
  }

  private static func told(_ store: RecordStore, _ range: HistoryRange = HistoryRange()) throws -> [HistoryWriter] {
    try store.read { reader in
      let cursor = try reader.history(range)
      var found: [HistoryWriter] = []
      while let next = try cursor.move() { found.append(next.writer) }
      return found
    }
  }

  /// The keys of the tree; nil if there is none.
  private static func stored(_ store: RecordStore) throws -> [UInt64]? {
    try store.write { writer in
      guard case .integers(let draft)? = try writer.tables.forest.find(HistoryWriter.tree)?.trunk else { return nil }
      var keys: [UInt64] = []
      var cursor = IntegerCursor(draft.tree)
      var isThere = try cursor.first()
      while isThere {
        keys.append(cursor.key)
        isThere = try cursor.next()
      }
      return keys
    }
  }

  private static let (one, again, other) = (
    HistoryWriter("one", process: 7), HistoryWriter("one", process: 8), HistoryWriter("other", process: 7)
  )

  // MARK: Writers

  @Test func `programs, and two processes of one program, are distinguished`() throws {
    try make(Self.one).close()
    try commits(by: [Self.one, Self.again, Self.again, .unknown, Self.other, Self.one])
    let wanted = [Self.one, Self.one, Self.again, Self.again, .unknown, Self.other, Self.one]
    let store = try open()
    #expect(try Self.told(store) == wanted)
    #expect(try Self.told(store, HistoryRange(isReversed: true)) == wanted.reversed())
    #expect(try Self.told(store, HistoryRange(after: 2, through: 4)) == wanted[2..<4].map { $0 })
    #expect(wanted.map(\.processText) == ["7", "7", "8", "8", "", "7", "7"])
    var range = HistoryRange()
    range.program = "one"
    #expect(try Self.told(store, range) == [Self.one, Self.one, Self.again, Self.again, Self.one])
    range.process = "8"
    #expect(try Self.told(store, range) == [Self.again, Self.again])
    (range.program, range.process) = ("", "")
    #expect(try Self.told(store, range) == [.unknown])
    #expect(try store.complaints() == [])
  }

  @Test func `two openings of one store at a time each have their own writer`() throws {
    let store = try make(Self.one)
    let beside = try open(Self.other)
    for _ in 0..<3 {
      try Self.insert(store)
      try Self.insert(beside)
      try Self.insert(beside)
    }
    #expect(try Self.told(store).dropFirst() == (0..<3).flatMap { _ in [Self.one, Self.other, Self.other] }[...])
    try beside.close()
    try store.close()
  }

  @Test func `the commits of one process store their writer once`() throws {
    let store = try make(Self.one)
    for _ in 0..<200 { try Self.insert(store) }
    #expect(try Self.stored(store) == [1])
    // A failure in between changes nothing.
    struct Stop: Error {}
    _ = try? store.write { writer in
      try writer.table("Other").insert(["name": .string("n")])
      throw Stop()
    }
    try Self.insert(store)
    try store.close()
    let again = try open(Self.one)
    try Self.insert(again)
    #expect(try Self.stored(again) == [1])
  }

  @Test func `a writer is requested only at its first commit`() throws {
    let asked = Counter()
    let store = try RecordStore(
      Self.path, options: Self.options(), fileSystem: fileSystem,
      writer: {
        asked.count += 1
        return Self.one
      })
    try store.read { _ = try $0.latestToken }
    #expect(asked.count == 0)
    try store.write { try $0.change { $0 = try HistoryLedger.catalog() } }
    for _ in 0..<10 { try Self.insert(store) }
    #expect(asked.count == 1)
  }

  /// One thread uses it.
  private final class Counter: @unchecked Sendable { var count = 0 }

  @Test func `opening, reading and commits without an entry store no writer`() throws {
    let store = try make(.unknown)
    #expect(try Self.stored(store) == nil)
    try store.close()
    let named = try open(Self.one)
    _ = try Self.told(named)
    try named.write { _ = try $0.table("Other") }
    #expect(try Self.stored(named) == nil)
    try named.write { try $0.setHistory(.off) }
    try Self.insert(named)
    #expect(try Self.stored(named) == nil)
    try named.write { try $0.setHistory(.changes) }
    try Self.insert(named)
    #expect(try Self.stored(named) == [try named.read { $0.commit }])
    #expect(try Self.told(named, HistoryRange(crossesGaps: true)) == [.unknown, Self.one])
  }

  // MARK: Crashes

  @Test func `after a crash every entry has its writer`() throws {
    try make(Self.one).close()
    try commits(by: [Self.one])
    fileSystem.recordsSteps = true
    var points: [CrashPoint] = []
    let files = fileSystem
    fileSystem.onStep = { _ in points.append(files.crashPoint()) }
    let store = try open(Self.again)
    for _ in 0..<3 { try Self.insert(store) }
    try store.store.checkpoint()
    try store.close()
    fileSystem.onStep = nil
    var lengths = Set<Int>()
    for point in points.enumerated().filter({ $0.offset % 3 == 0 }).map(\.element) {
      for choice in point.choices(.brief) {
        let image = point.image(choice)
        image.recordsSteps = false
        let store = try open(Self.other, in: image)
        let before = try Self.told(store)
        lengths.insert(before.count)
        #expect(before == [Self.one, Self.one] + Array(repeating: Self.again, count: before.count - 2))
        // Numbers of transactions that the crash undid are used again.
        try Self.insert(store)
        #expect(try Self.told(store) == before + [Self.other])
        try store.close()
      }
    }
    #expect(lengths == [2, 3, 4, 5])
  }

  // MARK: Removing

  @Test func `writers of removed entries are forgotten`() throws {
    try make(Self.one).close()
    try commits(by: [Self.one, Self.again, Self.again, Self.other, Self.one])
    let store = try open(Self.one)
    func prune(_ number: UInt64) throws { try store.write { _ = try $0.pruneHistory(through: number) } }
    #expect(try Self.stored(store) == [1, 3, 5, 6])
    try prune(1)
    #expect(try Self.stored(store) == [1, 3, 5, 6] && Self.told(store).first == Self.one)
    try prune(2)
    #expect(try Self.stored(store) == [3, 5, 6])
    try prune(3)
    #expect(try Self.stored(store) == [3, 5, 6])
    #expect(try Self.told(store) == [Self.again, Self.other, Self.one])
    try prune(5)
    #expect(try Self.stored(store) == [6] && Self.told(store) == [Self.one])
    // The newest writer stays, and is that of the next entry.
    try prune(.max)
    #expect(try Self.stored(store) == [6] && Self.told(store) == [])
    try Self.insert(store)
    #expect(try Self.stored(store) == [6] && Self.told(store) == [Self.one])
    #expect(try store.complaints() == [])
  }

  @Test func `a program that is started often keeps as many writers as the history has entries`() throws {
    try make(Self.one).close()
    for process in 0..<300 {
      let store = try open(HistoryWriter("often", process: UInt64(process)))
      try Self.insert(store)
      let latest = try store.read { $0.commit }
      try store.write { _ = try $0.pruneHistory(through: latest - min(latest, 10)) }
      try store.close()
    }
    let store = try open()
    let told = try Self.told(store)
    #expect((5...6).contains(told.count), "\(told.count)")
    #expect(try Self.stored(store)?.count == told.count)
    #expect(told.last == HistoryWriter("often", process: 299))
  }

  // MARK: Names

  @Test func `a long name is truncated after a whole character`() throws {
    #expect(HistoryWriter(String(repeating: "a", count: 300), process: 1).program.utf8.count == 255)
    let accents = HistoryWriter(String(repeating: "é", count: 200), process: 1)
    #expect(accents.program == String(repeating: "é", count: 127))
    let family = HistoryWriter(String(repeating: "a", count: 250) + "👩‍👩‍👧‍👦", process: 1)
    #expect(family.program == String(repeating: "a", count: 250))
    #expect(HistoryWriter("", process: 9) == .unknown)
    let store = try make(accents)
    #expect(try Self.told(store) == [accents])
  }

  // MARK: The past

  @Test func `a past and a copy have the writers`() throws {
    let store = try make(Self.one, mode: .full)
    try Self.insert(store)
    let beside = try open(Self.other)
    try Self.insert(beside)
    try beside.close()
    let past = try store.rewound(to: try store.read { try $0.token(behind: 2) })
    #expect(try past.read { try $0.table("Other").count } == 1)
    try past.close()
    let copy = RecordStore(past: try Backup.copyInMemory(store.store))
    #expect(try Self.told(copy) == [Self.one, Self.one, Self.other])
    try copy.close()
    try Backup.copy(store.store, floor: RecordStore.floor, to: "/b.roost", replacing: false, report: nil)
    try store.close()
    let backup = try RecordStore("/b.roost", options: Self.options(), fileSystem: fileSystem)
    #expect(try Self.told(backup) == [Self.one, Self.one, Self.other])
  }

  // MARK: Damage

  private static func damage(_ store: RecordStore, at key: UInt64, _ bytes: [UInt8]) throws {
    try store.write { writer in
      guard case .integers(let draft)? = try writer.tables.forest.find(HistoryWriter.tree)?.trunk else { return }
      try bytes.withUnsafeBytes { _ = try draft.put(key, $0) }
      // If the log lacked a piece, the transaction would not be committed.
      try writer.table("Other").insert(["name": .string("d")])
    }
    try store.store.checkpoint()
  }

  @Test(arguments: ["too short", "no UTF-8", "too long"])
  func `a damaged writer is an error, verify finds it, and a salvage leaves it out`(damage: String) throws {
    let bytes: [UInt8] =
      switch damage {
      case "too short": [1, 2, 3]
      case "no UTF-8": [UInt8](repeating: 0, count: 8) + [0xFF, 0xFE]
      default: [UInt8](repeating: 65, count: 264)
      }
    try make(Self.one).close()
    try commits(by: [Self.again, Self.other])
    let store = try open(Self.other)
    try Self.damage(store, at: 2, bytes)
    let error = #expect(throws: StoreError.self) { try Self.told(store) }
    #expect(error?.code == .damaged && error?.detail == "the program that wrote transaction 2 is unreadable")
    try store.close()
    let found = try RecordStore.verify(Self.path, fileSystem: fileSystem)
    #expect(found.findings.map(\.sentence).contains { $0.contains("the program that wrote transaction 2") })
    let rows = RowSalvage()
    _ = try Rescue.salvage(
      from: Self.path, log: nil, to: "/new.roost", replacing: false, options: StoreOptions(), fileSystem: fileSystem,
      floor: RecordStore.floor, content: rows, log: nil
    ) { (_) throws(StoreError) in }
    let new = try RecordStore("/new.roost", options: Self.options(), fileSystem: fileSystem)
    let told = try Self.told(new)
    #expect(told == [Self.one, .unknown, Self.other, Self.other], "\(told), \(rows.losses)")
    #expect(try new.complaints() == [])
  }

  @Test func `changed bytes of a writer are an error or a writer`() throws {
    var generator = SplitMix64(seed: 5)
    for _ in 0..<2000 {
      let bytes = generator.bytes(generator.below(300))
      let read = bytes.withUnsafeBytes { HistoryWriter(decoding: $0) }
      #expect(read.map { $0.program.utf8.count <= 255 } ?? true)
    }
    let bytes = Self.again.encoded
    #expect(bytes.withUnsafeBytes { HistoryWriter(decoding: $0) } == Self.again)
  }
}
