internal import Foundation
internal import RoostFile
internal import Synchronization

/// Ends contexts when the process ends by `exit`, so that their stores can be left as one file each.
///
/// Contexts that save by themselves are saved. Then all contexts let go of their snapshots, and the stores' own hook, which runs
/// after this one, closes the files. It waits two seconds for all locks together.
///
/// Only containers of this process count: a child that was forked has those of its parent in its memory too.
final class ExitHook: @unchecked Sendable {
  // Unchecked because `lock` guards `sets`, and the rest is atomic or constant.
  static let shared = ExitHook()

  private struct Entry {
    weak var set: StoreSet?
    let process = currentProcessID
  }

  private let lock = Lock()
  private var sets: [ObjectIdentifier: Entry] = [:]
  /// The process that made the newest container. Its locks are in order, which those of a forked child need not be.
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
    // A program that calls `exit` while it ends comes here once.
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
