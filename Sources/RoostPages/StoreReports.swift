package import RoostFile
import Synchronization

/// A checkpoint that was made, or failed.
package struct CheckpointReport: Sendable {
  package var nanoseconds: UInt64
  /// How many pages it wrote.
  package var pages: Int
  package var failure: StoreError?
}

/// What was found in the log when a store was opened.
package struct RecoveryReport: Sendable {
  package var nanoseconds: UInt64
  package var commits: Int
  /// How much of the log was read.
  package var bytes: Int
}

/// Who wants to hear of checkpoints. They are told on a thread that holds nothing: the one that made it, or the one of checkpoints.
///
/// Unchecked because of `all`, which is read and written under the lock.
package final class CheckpointListeners: @unchecked Sendable {
  private let lock = Lock()
  private var all: [Int: @Sendable (CheckpointReport) -> Void] = [:]
  private var lastNumber = 0
  private var kept: [CheckpointReport] = []
  private let count = Atomic<Int>(0)

  var isAsked: Bool { count.load(ordering: .relaxed) > 0 }

  /// The number is for ``remove(_:)``.
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

  /// Keeps a report until somebody can tell it.
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
