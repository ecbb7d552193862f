import RoostFile
import RoostKV
import RoostPages
import RoostTestSupport
import Testing

/// A checkpoint is also due if replaying the log would take readers long.
@Suite struct ReplayBoundTests {
  /// Opens a store with these limits, in nanoseconds.
  private func open(_ path: String, replay: UInt64, pause: UInt64) throws -> KeyValueStore {
    var options = StoreOptions()
    options.replayNanoseconds = replay
    options.replayPauseNanoseconds = pause
    return try KeyValueStore(path, options: options, fileSystem: DiskFileSystem.shared)
  }

  private func commits(_ store: KeyValueStore, _ count: Int) throws {
    for number in 0..<count { try store.write(.relaxed) { try $0.tree("t").put("\(number)", "x") } }
  }

  /// The number of commits that a reader without the lock replays.
  private func replayed(_ path: String) throws -> Int {
    var options = StoreOptions()
    options.readOnly = true
    let reader = try KeyValueStore(path, options: options, fileSystem: DiskFileSystem.shared)
    defer { try? reader.close() }
    return reader.store.takeRecovery()?.commits ?? 0
  }

  @Test func `after some quiet commits readers have nothing to replay`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.roost")
    let store = try open(path, replay: 1_000_000, pause: 100_000_000)
    try commits(store, 60)
    // No commit follows, so the checkpoint starts by itself.
    var polling = Polling(nanoseconds: 20_000_000_000)
    while try store.statistics().checkpoints == 0, polling.pause() {}
    #expect(try store.statistics().checkpoints == 1)
    #expect(try replayed(path) == 0)
    try commits(store, 3)
    #expect(try replayed(path) == 3)
    try store.close()
  }

  @Test func `a checkpoint for readers is not made before the pause is over`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.roost")
    let store = try open(path, replay: 1, pause: 3_600_000_000_000)
    try commits(store, 60)
    Thread.sleep(microseconds: 200_000)
    #expect(try store.statistics().checkpoints == 0)
    #expect(try replayed(path) == 60)
    try store.close()
  }
}
