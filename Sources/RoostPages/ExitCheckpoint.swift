#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import RoostFile

/// Leaves stores as one file each when the process ends by `exit`, as it does where a `main.swift` ends whose store is a global.
///
/// For two seconds it waits for locks, and begins steps that give back free pages. A store that somebody is at work with by then keeps its log, as after a crash.
enum ExitCheckpoint {
  private static let patienceNanoseconds: UInt64 = 2_000_000_000

  /// Has the hook called at the end of this process, once.
  static func install() { _ = isInstalled }

  private static let isInstalled = atexit { ExitCheckpoint.run() } == 0

  private static func run() {
    let deadline = Clock.monotonicNanoseconds() + patienceNanoseconds
    for store in OpenStores.shared.atExit(until: deadline) {
      do throws(StoreError) { try store.closeAtExit(until: deadline) } catch {
        // Somebody removed the log, and perhaps the store.
        if error.code == .notFound { continue }
        StandardError.say("a store kept its log at the program's end: \(error)")
      }
    }
  }
}
