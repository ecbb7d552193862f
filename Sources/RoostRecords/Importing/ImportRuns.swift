internal import RoostFile

/// The running imports of this process.
///
/// A store belongs to one process, so a run of another process has ended, whatever it left. For
/// runs of this process this object knows whether they have ended.
///
/// Unchecked because the lock protects all mutable state.
final class ImportRuns: @unchecked Sendable {
  static let shared = ImportRuns()
  /// The prefix of the names of unnamed imports.
  static let prefix = "@run "

  private let lock = Lock()
  private let process = UInt64.random(in: .min ... .max)
  private var last = 0
  private var live: Set<String> = []

  /// Makes a name for a run that is unique among all processes.
  func begin() -> String {
    lock.withLock {
      last += 1
      let run = "\(process) \(last)"
      live.insert(run)
      return run
    }
  }

  func end(_ run: String) { _ = lock.withLock { live.remove(run) } }

  func isLive(_ run: String) -> Bool { lock.withLock { live.contains(run) } }
}

/// The entry of a run in the store: see ``ImportState``.
struct ImportClaim {
  var name: String
  var entity: String
  var format: String
  var run: String
}
