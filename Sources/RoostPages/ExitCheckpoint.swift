#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import RoostFile

/// Closes stores when the process ends by `exit`, so that each is one file. This also happens at
/// the end of a `main.swift` whose store is a global.
///
/// It waits for locks for at most two seconds, and starts no further step of giving back free pages
/// after that. A store that is still in use then keeps its log, as after a crash.
enum ExitCheckpoint {
  private static let patienceNanoseconds: UInt64 = 2_000_000_000

  /// Registers the hook for the end of this process, once.
  static func install() { _ = isInstalled }

  private static let isInstalled = atexit { ExitCheckpoint.run() } == 0

  private static func run() {
    let deadline = Clock.monotonicNanoseconds() + patienceNanoseconds
    for store in OpenStores.shared.atExit(until: deadline) {
      do throws(StoreError) { try store.closeAtExit(until: deadline) } catch {
        // The log was removed, and perhaps the store too.
        if error.code == .notFound { continue }
        StandardError.say("a store kept its log at the program's end: \(error)")
      }
    }
  }
}
