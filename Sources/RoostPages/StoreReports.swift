package import RoostFile
import Synchronization

/// A checkpoint that was made, or failed.
package struct CheckpointReport: Sendable {
  package var nanoseconds: UInt64
  /// The number of pages that it wrote.
  package var pages: Int
  package var failure: StoreError?
}

/// The log records that an opening of a store found.
package struct RecoveryReport: Sendable {
  package var nanoseconds: UInt64
  package var commits: Int
  /// The number of bytes of the log that were read.
  package var bytes: Int
}

/// The listeners for checkpoints. They are called on a thread that holds no lock: the one that made
/// the checkpoint, or the thread of checkpoints.
///
/// Unchecked because of `all`, which is read and written under the lock.
package final class CheckpointListeners: @unchecked Sendable {
  private let lock = Lock()
  private var all: [Int: @Sendable (CheckpointReport) -> Void] = [:]
  private var lastNumber = 0
  private var kept: [CheckpointReport] = []
  private let count = Atomic<Int>(0)

  var isAsked: Bool { count.load(ordering: .relaxed) > 0 }

  /// Adds a listener. The result is its number for ``remove(_:)``.
  package func add(_ hear: @escaping @Sendable (CheckpointReport) -> Void) -> Int {
    lock.withLock {
      lastNumber += 1
      all[lastNumber] = hear
      count.store(all.count, ordering: .relaxed)
      return lastNumber
    }
  }

  package func remove(_ number: Int) {
    lock.withLock {
      all[number] = nil
      count.store(all.count, ordering: .relaxed)
    }
  }

  /// Keeps a report until a thread without locks can deliver it.
  func keep(_ report: CheckpointReport) { lock.withLock { kept.append(report) } }

  func tellKept() {
    let reports = lock.withLock {
      defer { kept = [] }
      return kept
    }
    for report in reports { tell(report) }
  }

  func tell(_ report: CheckpointReport) { for hear in lock.withLock({ Array(all.values) }) { hear(report) } }
}
