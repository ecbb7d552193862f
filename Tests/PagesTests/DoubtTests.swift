import RoostBytes
import RoostFile
import RoostTestSupport
import Testing

@testable import RoostPages

/// The state that a failure leaves for the next opening, and the opening's response. See
/// Docs/DURABILITY.md.
@Suite struct DoubtTests {
  private let fileSystem = SimulatedFileSystem()
  private let log = "/a.roost-log"

  private func header(_ fileSystem: SimulatedFileSystem) throws -> LogFileHeader? {
    let file = try fileSystem.open(log, .read)
    defer { file.close() }
    return try LogReader.fileHeader(file)
  }

  private func write(_ store: Store, _ word: UInt64) throws(StoreError) {
    try store.write { writer throws(StoreError) in
      for index in 0..<40 { try writer.set(index, word) }
    }
  }

  /// A process that writes its number into the log's header may be stopped in the middle of that.
  @Test func `the holder's number is in a separate sector, and may be damaged`() throws {
    let store = try Store.words(fileSystem)
    try write(store, 1)
    let state = try store.state()
    let image = fileSystem.crashImage(.none)
    #expect(try header(image)?.processID == currentProcessID)
    var generator = SplitMix64(seed: 3)
    for _ in 0..<20 {
      let copy = image.crashImage(.none)
      var bytes = try #require(copy.contents(of: log))
      bytes.replaceSubrange(512..<1024, with: generator.bytes(512))
      #expect(copy.overwrite(log, with: bytes))
      let found = try Store.words(copy)
      #expect(try found.state() == state)
      #expect(try header(copy)?.processID == currentProcessID)
      #expect(try header(copy)?.isInDoubt == false)
    }
    // The rest of the header is not written when the number is written.
    let before = try #require(image.contents(of: log))
    let file = try image.open(log, .write)
    try LogFileHeader.note(processID: 77, isInDoubt: true, in: file)
    let after = try #require(image.contents(of: log))
    #expect(after[..<512] == before[..<512])
    #expect(after[1024...] == before[1024...])
    #expect(try header(image)?.processID == 77)
  }

  @Test func `after a failed sync the next opening writes the superblock again and removes the note`() throws {
    let store = try Store.words(fileSystem)
    try write(store, 1)
    try store.checkpoint()
    #expect(try header(fileSystem)?.isInDoubt == false)
    fileSystem.inject(FaultRule(.sync, path: "-log", .sync(.keptAndMarkedClean)))
    #expect(failure { () throws(StoreError) in try write(store, 2) } == .commitUncertain)
    fileSystem.clearFaults()
    #expect(try header(fileSystem)?.isInDoubt == true)
    #expect(failure { () throws(StoreError) in try write(store, 3) } == .poisoned)
    let slot = store.durableSlot
    try store.close()

    fileSystem.forgetSteps()
    let again = try Store.words(fileSystem)
    let first = try #require(fileSystem.steps.first { $0.kind == .write })
    #expect(first.path == "/a.roost")
    #expect(first.offset == UInt64(slot * Page.size))
    #expect(try again.read { reader throws(StoreError) in try reader.word(0) } == 2)
    #expect(try header(fileSystem)?.isInDoubt == false)
    // The recovered state is durable now: a crash that keeps nothing else still has it.
    let image = try Store.words(fileSystem.crashImage(.none))
    #expect(try image.state() == again.state())
  }

  /// Without doubt the log has everything, so a full disk is no reason to refuse. In doubt, only
  /// the kernel may have it.
  @Test func `in doubt a store without room for its checkpoint is not opened`() throws {
    for isInDoubt in [false, true] {
      let fileSystem = SimulatedFileSystem()
      let store = try Store.words(fileSystem)
      for word in UInt64(1)...3 { try write(store, word) }
      if isInDoubt { store.commits.poison(StoreError(.ioError, "a test")) }
      let image = fileSystem.crashImage(.all)
      #expect(try header(image)?.isInDoubt == isInDoubt)
      // In doubt the superblock is written first, in its place, which needs no room.
      let nth = isInDoubt ? 2 : 1
      image.inject(FaultRule(.write, path: ".roost", nth: nth, .error(ErrorNumber.noSpace), forever: true))
      let code = failure { () throws(StoreError) in _ = try Store.words(image) }
      #expect(code == (isInDoubt ? .diskFull : nil))
    }
  }

  /// Before the fix, if a backup into the folder failed to sync it, between the opening of the
  /// store and its first commit, the name of the log was lost, and the acknowledged commits with
  /// it.
  @Test func `a folder whose sync failed before the first commit does not lose the log's name`() throws {
    let store = try Store.words(fileSystem)
    fileSystem.inject(FaultRule(.syncDirectory, .sync(.keptAndMarkedClean)))
    #expect(failure { () throws(StoreError) in try fileSystem.syncDirectory(of: log) } == .ioError)
    fileSystem.clearFaults()
    try write(store, 1)
    let state = try store.state()
    for image in fileSystem.crashPoint().images(CrashPolicy()) {
      #expect(try Store.words(image).state() == state, "\(image.choice!)")
    }
  }

  /// The write of a superblock failed, but the superblock was in the file. Before the fix, the
  /// pages that it references were freed and used again; then a crash found it.
  @Test func `the pages of a superblock whose write failed stay until a later one is durable`() throws {
    let store = try Store.words(fileSystem)
    try write(store, 1)
    try store.checkpoint()
    try write(store, 2)
    let stamp = store.tip.stamp
    let slot = UInt64((1 - store.durableSlot) * Page.size)
    fileSystem.onStep = { [unowned fileSystem] step in
      // The log's second sync is right before the superblock.
      if step.kind == .sync && step.path == log {
        fileSystem.inject(FaultRule(.write, path: ".roost", .errorAfterEffect(ErrorNumber.io)))
      }
    }
    #expect(failure { () throws(StoreError) in try store.checkpoint() } == .ioError)
    fileSystem.onStep = nil
    fileSystem.clearFaults()
    #expect(fileSystem.steps.last { $0.kind == .write && $0.path == "/a.roost" }?.offset == slot)
    #expect(store.doubtfulStamps.contains(stamp))
    #expect(store.pins().contains(stamp))
    for word in UInt64(3)...9 {
      try write(store, word)
      let state = try store.state()
      for image in fileSystem.crashPoint().images(CrashPolicy()) {
        let found = try Store.words(image)
        #expect(try found.state() == state, "word \(word), \(image.choice!)")
        #expect(try found.findings() == [])
      }
    }
    try store.checkpoint()
    #expect(store.doubtfulStamps == [])
    #expect(!store.pins().contains(stamp))
  }

  /// Before the fix, the salt was lost with the header, so none of the frames after it could be
  /// checked, and the log seemed to end there.
  @Test func `a segment's salt is in its header twice, so that rot in one copy is noticed`() throws {
    let store = try Store.words(fileSystem)
    for word in UInt64(1)...40 { try write(store, word) }
    let image = fileSystem.crashImage(.none)
    let whole = try #require(image.contents(of: log))
    let segments = (whole.count - 4096) / 4096
    #expect(segments > 4)
    var used = 0
    for segment in 0..<segments {
      let start = 4096 + segment * 4096
      // The last segment in use has the known gap.
      guard whole[start..<start + 8].elementsEqual(LogFormat.segmentMagic) else { continue }
      used += 1
      for offset in [0, 20, 33, 41, 50, 57, 65] where segment > 0 && segment < store.log!.segment {
        var bytes = whole
        bytes[start + offset] ^= 16
        #expect(image.overwrite(log, with: bytes))
        let code = failure { () throws(StoreError) in _ = try Store.words(image.crashImage(.none)) }
        #expect(code == .logDamaged, "segment \(segment), byte \(offset)")
      }
    }
    #expect(used > 4)
  }
}
