internal import Foundation
internal import RoostFile
internal import Synchronization

/// Ends contexts when the process calls `exit`, so that each store is left as one file.
///
/// Contexts with autosave are saved. Then all contexts release their snapshots. The stores' own
/// hook runs after this one and closes the files. The hook waits two seconds for all locks
/// together.
///
/// Only containers of this process count: a forked child also has its parent's containers in
/// memory.
final class ExitHook: @unchecked Sendable {
  // Unchecked because `lock` guards `sets`, and the rest is atomic or constant.
  static let shared = ExitHook()

  private struct Entry {
    weak var set: StoreSet?
    let process = currentProcessID
  }

  private let lock = Lock()
  private var sets: [ObjectIdentifier: Entry] = [:]
  /// The process that made the newest container. A forked child cannot rely on the locks in its
  /// memory.
  private let process = Atomic<Int32>(0)
  private static let isInstalled = atexit { ExitHook.shared.run() } == 0
  private static let patienceNanoseconds: UInt64 = 2_000_000_000

  func add(_ set: StoreSet) {
    _ = Self.isInstalled
    process.store(currentProcessID, ordering: .relaxed)
    lock.withLock { sets[ObjectIdentifier(set)] = Entry(set: set) }
  }

  func remove(_ set: StoreSet) { lock.withLock { sets[ObjectIdentifier(set)] = nil } }

  private func run() {
    let own = currentProcessID
    // Runs once, also if the program calls `exit` while it ends.
    guard process.compareExchange(expected: own, desired: 0, ordering: .relaxed).exchanged else { return }
    let deadline = Clock.monotonicNanoseconds() + Self.patienceNanoseconds
    guard lock.acquire(until: deadline) else { return }
    let open = sets.values.compactMap { $0.process == own ? $0.set : nil }
    lock.release()
    for set in open {
      for (state, graphs) in set.contexts.savers(until: deadline) { state.saveAtExit(graphs, until: deadline) }
    }
    for set in open { _ = set.contexts.shut(until: deadline) }
  }
}
