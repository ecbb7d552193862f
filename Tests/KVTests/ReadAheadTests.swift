import RoostFile
import RoostKV
import RoostPages
import RoostTestSupport
import Testing

/// Walks through a store that is not in memory request leaves before they read them.
@Suite struct ReadAheadTests {
  private static let entries = 20_000

  /// A closed store with scattered leaves, and the number of its leaves.
  private func scattered(_ fileSystem: SimulatedFileSystem) throws -> Int {
    let store = try KeyValueStore("/a.roost", options: options, fileSystem: fileSystem)
    try store.write { writer in
      let table = try writer.table("rows")
      for index in 0..<Self.entries {
        try table.put(UInt64(index * 7919 % Self.entries), [UInt8](repeating: 1, count: 150))
      }
    }
    let leaves = try store.statistics(samples: .max).trees[0].leaves
    try store.close()
    return leaves
  }

  private var options: StoreOptions {
    var options = StoreOptions()
    options.checkpointing = .manual
    options.cacheBytes = 64 << 20
    return options
  }

  private func walk(_ store: KeyValueStore, forward: Bool, atMost most: Int = .max) throws -> Int {
    try store.read { reader in
      var cursor = try reader.table("rows").cursor()
      var count = 0
      while count < most, try forward ? cursor.next() : cursor.previous() { count += 1 }
      return count
    }
  }

  @Test(arguments: [true, false]) func `a walk requests nearly every leaf, once, before it is read`(forward: Bool)
    throws
  {
    let simulated = SimulatedFileSystem()
    let leaves = try scattered(simulated)
    let fileSystem = AskingFileSystem(simulated)
    let store = try KeyValueStore("/a.roost", options: options, fileSystem: fileSystem)
    #expect(try walk(store, forward: forward) == Self.entries)
    let asked = fileSystem.journal.asked
    #expect(asked.count == Set(asked).count, "a page was requested twice")
    #expect(Set(asked).isSubset(of: fileSystem.journal.readAfterAsking))
    #expect(asked.count > leaves * 3 / 4, "\(asked.count) of \(leaves)")
    #expect(asked.count <= leaves)
    // Now everything is in memory.
    fileSystem.journal.forget()
    #expect(try walk(store, forward: !forward) == Self.entries)
    #expect(fileSystem.journal.asked == [])
    try store.close()
  }

  @Test func `look-ups and short ranges request little`() throws {
    let simulated = SimulatedFileSystem()
    _ = try scattered(simulated)
    let fileSystem = AskingFileSystem(simulated)
    let store = try KeyValueStore("/a.roost", options: options, fileSystem: fileSystem)
    try store.read { reader in
      let table = try reader.table("rows")
      for key in stride(from: 0, to: Self.entries, by: 997) { #expect(try table.contains(UInt64(key))) }
    }
    #expect(try walk(store, forward: true, atMost: 10) == 10)
    #expect(fileSystem.journal.asked == [])
    // The second leaf of a range requests four, and the third eight more.
    #expect(try walk(store, forward: true, atMost: 60) == 60)
    #expect(fileSystem.journal.asked.count <= 12)
    try store.close()
  }

  @Test func `needless requests soon end`() throws {
    let simulated = SimulatedFileSystem()
    let leaves = try scattered(simulated)
    let fileSystem = AskingFileSystem(simulated, isQuick: true)
    let store = try KeyValueStore("/a.roost", options: options, fileSystem: fileSystem)
    #expect(try walk(store, forward: true) == Self.entries)
    // One call for each leaf if the leaves are scattered; otherwise fewer.
    #expect(fileSystem.journal.quickCalls < leaves / 2, "\(fileSystem.journal.quickCalls) of \(leaves)")
    try store.close()
  }

  @Test func `the operating system's file accepts any range`() throws {
    let folder = try ScratchFolder()
    let file = try DiskFileSystem.shared.open(folder.file("a"), .writeOrCreate)
    try file.write([1, 2, 3], at: 0)
    for offset in [0, 1, 4096, .max - 1, .max] as [UInt64] {
      file.willRead(offset: offset, length: 4096)
      file.willRead(offset: offset, length: .max)
    }
    #expect(try file.bytes(3) == [1, 2, 3])
    file.close()
    file.willRead(offset: 0, length: 3)
  }
}

/// The requests of a store, and its reads. One thread at a time uses it.
private final class Journal: @unchecked Sendable {
  // `@unchecked Sendable`: the tests here have one thread.
  private(set) var asked: [UInt64] = []
  private(set) var readAfterAsking = Set<UInt64>()
  /// Calls that took no time, for example because the kernel has everything.
  private(set) var quickCalls = 0
  private let isQuick: Bool

  init(isQuick: Bool) { self.isQuick = isQuick }

  func forget() {
    asked = []
    readAfterAsking = []
  }

  func ask(_ offset: UInt64, _ length: UInt64) {
    if isQuick {
      quickCalls += 1
      return
    }
    asked += stride(from: offset, to: offset + length, by: Page.size).map { $0 / UInt64(Page.size) }
    let end = Clock.monotonicNanoseconds() + 3000
    while Clock.monotonicNanoseconds() < end {}
  }

  func read(_ offset: UInt64) {
    let page = offset / UInt64(Page.size)
    if asked.contains(page) { readAfterAsking.insert(page) }
  }
}

/// A simulation whose files record the requested ranges.
private final class AskingFileSystem: FileSystem {
  let inner: SimulatedFileSystem
  let journal: Journal

  init(_ inner: SimulatedFileSystem, isQuick: Bool = false) {
    self.inner = inner
    journal = Journal(isQuick: isQuick)
  }

  func open(_ path: String, _ mode: FileMode) throws(StoreError) -> any StorageFile {
    AskingFile(try inner.open(path, mode), journal)
  }
  func rename(_ from: String, to: String) throws(StoreError) { try inner.rename(from, to: to) }
  func link(_ from: String, to: String) throws(StoreError) { try inner.link(from, to: to) }
  func remove(_ path: String) throws(StoreError) { try inner.remove(path) }
  func exists(_ path: String) throws(StoreError) -> Bool { try inner.exists(path) }
  func syncDirectory(of path: String) throws(StoreError) { try inner.syncDirectory(of: path) }
  func canonicalPath(_ path: String) throws(StoreError) -> String { try inner.canonicalPath(path) }
  func identity(of path: String) -> FileIdentity? { inner.identity(of: path) }
}

private final class AskingFile: StorageFile {
  private let inner: any StorageFile
  private let journal: Journal

  init(_ inner: any StorageFile, _ journal: Journal) {
    self.inner = inner
    self.journal = journal
  }

  var path: String { inner.path }
  func readOnce(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(Fault) -> Int {
    if buffer.count == Page.size { journal.read(offset) }
    return try inner.readOnce(into: buffer, at: offset)
  }
  func willRead(offset: UInt64, length: UInt64) { journal.ask(offset, length) }
  func writeOnce(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(Fault) -> Int {
    try inner.writeOnce(bytes, at: offset)
  }
  func truncateOnce(to size: UInt64) throws(Fault) { try inner.truncateOnce(to: size) }
  func allocateOnce(offset: UInt64, length: UInt64) throws(Fault) {
    try inner.allocateOnce(offset: offset, length: length)
  }
  func syncOnce() throws(Fault) { try inner.syncOnce() }
  func sizeOnce() throws(Fault) -> UInt64 { try inner.sizeOnce() }
  func identityOnce() throws(Fault) -> FileIdentity { try inner.identityOnce() }
  func lockOnce() throws(Fault) -> Bool { try inner.lockOnce() }
  func close() { inner.close() }
}
