import RoostFile
import RoostTestSupport
import Synchronization
import Testing

@testable import RoostPages

/// Opening, sharing and closing.
@Suite struct OpeningTests {
  private let fileSystem = SimulatedFileSystem()

  private func write(_ store: Store, _ word: UInt64, _ durability: SyncMode = .full) throws(StoreError) {
    try store.write(durability) { writer throws(StoreError) in try writer.set(1, word) }
  }

  private func word(_ store: Store) throws(StoreError) -> UInt64 {
    try store.read { reader throws(StoreError) in try reader.word(1) }
  }

  private func code(_ path: String = "/a.roost", _ options: StoreOptions = .forTests) -> StoreError.Code? {
    failure { () throws(StoreError) in _ = try Store.words(fileSystem, path, options) }
  }

  private var reading: StoreOptions {
    var options = StoreOptions.forTests
    options.readOnly = true
    return options
  }

  @Test func `a missing store is created only if that is allowed`() throws {
    var options = StoreOptions.forTests
    options.createIfMissing = false
    #expect(code("/a.roost", options) == .notFound)
    #expect(code("/a.roost", reading) == .notFound)
    try Store.words(fileSystem).close()
    #expect(code("/a.roost", options) == nil)
  }

  @Test func `a second opening shares the first, and the last closing closes`() throws {
    let first = try Store.words(fileSystem)
    let second = try Store.words(fileSystem)
    #expect(first === second)
    try write(first, 1)
    try first.close()
    #expect(try word(second) == 1)
    try second.close()
    #expect(fileSystem.paths == ["/a.roost"])
    #expect(failure { () throws(StoreError) in _ = try word(second) } == .closed)
    let third = try Store.words(fileSystem)
    #expect(third !== first)
    #expect(try word(third) == 1)
  }

  @Test func `the error about a locked store names the process that has it`() throws {
    let store = try Store.words(fileSystem)
    try write(store, 1)
    // A process with another table of open stores counts as another process.
    OpenStores.shared.vacate(store.tenancy)
    let error = #expect(throws: StoreError.self) { try Store.words(fileSystem) }
    #expect(error?.code == .locked)
    #expect(error?.detail.contains("process \(currentProcessID)") == true)
    let reader = try Store.words(fileSystem, "/a.roost", reading)
    #expect(try word(reader) == 1)
    #expect(failure { () throws(StoreError) in try write(reader, 2) } == .readOnly)
    try reader.close()
    try store.close()
  }

  /// Before the fix, the process that created a store gave it its name and then removed the empty
  /// log that had prevented another creation. If another process opened the store between the two,
  /// its own log was removed: its commits were acknowledged, and lost in the next crash.
  @Test func `a store cannot be opened before its creation is complete`() throws {
    var couldLock: [Bool] = []
    fileSystem.onStep = { [unowned fileSystem] step in
      guard step.kind == .rename || step.kind == .syncDirectory else { return }
      // Another process, which takes the lock first.
      if let file = try? fileSystem.open("/a.roost", .write) { couldLock.append((try? file.lock()) ?? false) }
    }
    try fileSystem.open("/a.roost-log", .writeOrCreate).close()
    let store = try Store.words(fileSystem)
    fileSystem.onStep = nil
    #expect(couldLock.prefix(2) == [false, false])
    try store.close()
  }

  /// Another store, and a thread that opens it.
  private final class Other: Sendable {
    let hasBegun = Atomic<Bool>(false)
    let isDone = Atomic<Bool>(false)

    func open(_ fileSystem: SimulatedFileSystem) {
      do { try Store.words(fileSystem, "/b.roost").close() } catch { return }
      isDone.store(true, ordering: .releasing)
    }
  }

  /// Before the fix, all openings of a process waited for each other, so one long recovery blocked
  /// the opening of all other stores.
  @Test func `another store opens while one recovers`() throws {
    let store = try Store.words(fileSystem)
    try write(store, 1)
    let image = fileSystem.crashImage(.none)
    let other = Other()
    image.onStep = { [unowned image] step in
      guard step.path == "/a.roost", !other.hasBegun.exchange(true, ordering: .relaxed) else { return }
      // The recovery of the first store has started, and continues when this call returns.
      guard let thread = try? Thread({ other.open(image) }) else { return }
      thread.detach()
      let deadline = Clock.monotonicNanoseconds() + 20_000_000_000
      while !other.isDone.load(ordering: .acquiring), Clock.monotonicNanoseconds() < deadline { Thread.yield() }
      let isDone = other.isDone.load(ordering: .acquiring)
      #expect(isDone, "the other opening waits for the recovery")
    }
    let found = try Store.words(image)
    image.onStep = nil
    let hasBegun = other.hasBegun.load(ordering: .relaxed)
    #expect(hasBegun)
    #expect(try word(found) == 1)
    try found.close()
    try store.close()
  }

  /// The folder is opened to be synced before the first commit. Before the fix, if the limit of
  /// open files was reached, all later writes failed, as after a failed sync.
  @Test func `too many open files at the first write fail only that write`() throws {
    let store = try Store.words(fileSystem)
    fileSystem.inject(FaultRule(.syncDirectory, .error(ErrorNumber.tooManyFiles)))
    #expect(failure { () throws(StoreError) in try write(store, 1) } == .tooManyFiles)
    try write(store, 2)
    let found = try Store.words(fileSystem.crashImage(.none))
    #expect(try word(found) == 2)
    try found.close()
    try store.close()
    // A failed sync stops all writes.
    let again = try Store.words(fileSystem)
    fileSystem.inject(FaultRule(.syncDirectory, .error(ErrorNumber.io)))
    #expect(failure { () throws(StoreError) in try write(again, 3) } == .ioError)
    #expect(failure { () throws(StoreError) in try write(again, 4) } == .poisoned)
    try again.close()
  }

  @Test func `a file with two names is refused`() throws {
    try Store.words(fileSystem).close()
    try fileSystem.link("/a.roost", to: "/b.roost")
    #expect(code() == .hardLinked)
    #expect(code("/b.roost") == .hardLinked)
    try fileSystem.remove("/a.roost")
    #expect(code("/b.roost") == nil)
  }

  @Test func `a store without its log is not opened as an older state`() throws {
    let store = try Store.words(fileSystem)
    try write(store, 1)
    let image = fileSystem.crashImage(.none)
    try image.remove("/a.roost-log")
    #expect(failure { () throws(StoreError) in _ = try Store.words(image) } == .logMissing)
    let other = SimulatedFileSystem()
    let stranger = try Store.words(other, "/a.roost", .seeded(99))
    try write(stranger, 9)
    let log = try #require(other.contents(of: "/a.roost-log"))
    let mixed = fileSystem.crashImage(.none)
    #expect(mixed.overwrite("/a.roost-log", with: log))
    #expect(failure { () throws(StoreError) in _ = try Store.words(mixed) } == .logMissing)
  }

  /// Before the fix, if the store's file was missing and its log had acknowledged commits, opening
  /// made a new, empty store without an error, and removed the log.
  @Test(arguments: [false, true], [false, true]) func `a log without its store is an error that names both`(
    readOnly: Bool, createIfMissing: Bool
  ) throws {
    let store = try Store.words(fileSystem)
    try write(store, 1)
    let image = fileSystem.crashImage(.none)
    let file = try #require(image.contents(of: "/a.roost"))
    let log = try #require(image.contents(of: "/a.roost-log"))
    try image.remove("/a.roost")
    var options = StoreOptions.forTests
    options.readOnly = readOnly
    options.createIfMissing = createIfMissing
    let error = #expect(throws: StoreError.self) { try Store.words(image, "/a.roost", options) }
    #expect(error?.code == .storeMissing)
    #expect(error?.path == "/a.roost")
    #expect(error?.detail.contains("/a.roost-log") == true)
    #expect(image.paths == ["/a.roost-log"])
    #expect(image.contents(of: "/a.roost-log") == log)
    // After the file is put back, it opens with everything. After the log is removed, a new store
    // may be made.
    let back = try image.open("/a.roost", .writeOrCreate)
    try back.write(file, at: 0)
    #expect(try word(Store.words(image)) == 1)
    let other = SimulatedFileSystem()
    try Store.words(other).close()
  }

  @Test func `an empty log without a store is an interrupted creation`() throws {
    _ = try fileSystem.open("/a.roost-log", .writeOrCreate)
    let store = try Store.words(fileSystem)
    try write(store, 1)
    try store.close()
    #expect(fileSystem.paths == ["/a.roost"])
  }

  /// Before the fix, if the superblock that named the log was lost, the older one said that the
  /// store was clean and empty.
  @Test func `the older superblock is not used if commits would be lost`() throws {
    let store = try Store.words(fileSystem)
    try write(store, 1)
    for slot in 0..<2 {
      let image = fileSystem.crashImage(.none)
      var bytes = try #require(image.contents(of: "/a.roost"))
      bytes[slot * Page.size + 100] ^= 3
      #expect(image.overwrite("/a.roost", with: bytes))
      if slot == store.durableSlot {
        #expect(failure { () throws(StoreError) in _ = try Store.words(image) } == .damaged)
      } else {
        let found = try Store.words(image)
        #expect(found.hadDamagedSuperblock)
        #expect(try word(found) == 1)
      }
    }
  }

  @Test func `reading only replays the log, large values too, and writes nothing`() throws {
    let store = try Store.words(fileSystem)
    let large = [UInt8](repeating: 7, count: 1_200_000)
    try store.write { writer throws(StoreError) in
      for index in 0..<300 { try writer.set(index, 5) }
      try writer.put(0, large)
    }
    try store.checkpoint()
    try store.write { writer throws(StoreError) in
      for index in 0..<300 { try writer.set(index, 6) }
      try writer.put(0, [1])
      try writer.put(1, large)
      try writer.put(2, [UInt8](repeating: 1, count: 9000))
    }
    try store.write { writer throws(StoreError) in try writer.put(3, large) }
    let state = try store.state()
    let image = fileSystem.crashImage(.none)
    let reader = try Store.words(image, "/a.roost", reading)
    #expect(try reader.state() == state)
    try reader.checkpoint()
    #expect(try reader.state() == state)
    try reader.close()
    #expect(image.step == 0)
  }

  @Test func `a store with an open reader is busy`() throws {
    let store = try Store.words(fileSystem)
    try write(store, 1)
    let reader = try store.beginRead()
    #expect(failure { () throws(StoreError) in try store.close() } == .busy)
    try write(store, 2)
    #expect(try WordReader(view: reader.view, root: reader.snapshot.catalog).word(1) == 1)
    store.endRead(reader)
    try store.close()
    try store.close()
  }

  @Test func `a closed store gives the error that it is closed`() throws {
    let store = try Store.words(fileSystem)
    try write(store, 1)
    try store.close()
    #expect(failure { () throws(StoreError) in _ = try store.beginRead() } == .closed)
    #expect(failure { () throws(StoreError) in _ = try store.beginWrite() } == .closed)
    try store.checkpoint()
  }

  @Test func `a store in memory is read, written and closed`() throws {
    let store = try Store.inMemory(options: .forTests, floor: WordFloor.floor)
    for round in UInt64(1)...50 { try write(store, round) }
    #expect(try word(store) == 50)
    try store.checkpoint()
    #expect(store.space.limit < 30)
    #expect(try store.findings() == [])
    try store.close()
    #expect(failure { () throws(StoreError) in _ = try store.beginRead() } == .closed)
  }

  /// Before the fix, commits that a first crash cut off from the end came back after a second one,
  /// because the record before them was written again with the same bytes.
  @Test func `a record that a crash lost does not come back later`() throws {
    let store = try Store.words(fileSystem)
    try write(store, 1, .relaxed)
    let before = try #require(fileSystem.contents(of: "/a.roost-log"))
    try write(store, 2, .relaxed)
    // The first record is lost, the second is not.
    let image = fileSystem.crashImage(.all)
    var bytes = try #require(image.contents(of: "/a.roost-log"))
    let firstFrame = LogFormat.fileHeader + LogFormat.segmentHeader
    for index in firstFrame..<firstFrame + 40 { bytes[index] = 0 }
    #expect(image.overwrite("/a.roost-log", with: bytes))
    let again = try Store.words(image)
    #expect(try word(again) == 0)
    try write(again, 1, .relaxed)
    #expect(before.count == bytes.count)
    let last = try Store.words(image.crashImage(.all))
    #expect(try word(last) == 1)
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6, 7]) func `a failed creation can be repeated`(nth: Int) throws {
    fileSystem.inject(FaultRule([.create, .write, .sync, .rename, .syncDirectory], nth: nth, .error(ErrorNumber.io)))
    _ = code()
    fileSystem.clearFaults()
    let store = try Store.words(fileSystem)
    try write(store, 1)
    let found = try Store.words(fileSystem.crashImage(.none))
    #expect(try word(found) == 1)
  }

  @Test(arguments: UInt64(1)...3) func `a truncated or random file is refused and not changed`(seed: UInt64) throws {
    let store = try Store.words(fileSystem)
    try store.write { writer throws(StoreError) in
      for index in 0..<100 { try writer.set(index, 5) }
    }
    try store.close()
    let whole = try #require(fileSystem.contents(of: "/a.roost"))
    var generator = SplitMix64(seed: seed)
    for count in stride(from: 0, to: whole.count, by: 512) {
      #expect(fileSystem.overwrite("/a.roost", with: Array(whole[..<count])))
      #expect(code() == .truncated)
      #expect(fileSystem.overwrite("/a.roost", with: generator.bytes(count + 1)))
      #expect(code() == .notAStore)
    }
  }
}
