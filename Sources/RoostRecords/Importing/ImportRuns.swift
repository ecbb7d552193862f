internal import RoostFile

/// The runs of imports that are under way in this process.
///
/// A store belongs to one process, so a run of another one is over, whatever it left. Of the own ones this says it.
///
/// Unchecked because the lock guards what changes.
final class ImportRuns: @unchecked Sendable {
  static let shared = ImportRuns()
  /// What the name of an import begins with that nobody gave one.
  static let prefix = "@run "

  private let lock = Lock()
  private let process = UInt64.random(in: .min ... .max)
  private var last = 0
  private var live: Set<String> = []

  /// A name for a run, which no other run in any process has.
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

/// What a run says of itself in the store: see ``ImportState``.
struct ImportClaim {
  var name: String
  var entity: String
  var format: String
  var run: String
}
