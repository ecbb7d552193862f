import Foundation
import RoostKV

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A process that is killed while it writes.
extension Tour {
  func crash() throws -> Report {
    let wanted = Int.random(in: 200...600)
    let child = try ChildProcess(program, [Witness.command, path])
    let began = ContinuousClock.now
    var heard: [UInt8] = []
    while heard.count < wanted * Witness.wordBytes, ContinuousClock.now - began < .seconds(3) {
      let more = child.read(timeoutMilliseconds: 3000)
      if more.isEmpty { break }
      heard += more
    }
    usleep(UInt32.random(in: 0..<1000))
    child.kill()
    // What it said before its end still stands in the pipe.
    while true {
      let more = child.read(timeoutMilliseconds: 3000)
      if more.isEmpty { break }
      heard += more
    }
    let wrote = ContinuousClock.now - began
    let signal = child.wait()
    try check(signal == SIGKILL, "the writing process ended by itself instead of being killed")

    let acknowledged = try acknowledgements(heard)
    try check(acknowledged > 0, "the writing process acknowledged nothing")
    let logBytes = Tour.size(of: path + "-log")
    try check(logBytes > 0, "the killed process left no log to recover from")

    let opened = ContinuousClock.now
    let store = try KeyValueStore(path)
    let recovery = ContinuousClock.now - opened
    let finding = try Witness.examine(store, acknowledged: acknowledged)
    try checkAll(store)
    try store.close()
    let inFlight =
      finding.commits > acknowledged
      ? "One more was whole on the disk, and is there too." : "The one in flight is not there, not even in part."
    return Report(lines: [
      "A second process acknowledged \(Wording.count(acknowledged, "commit")) in \(Wording.time(wrote)), each on the "
        + "disk, and was killed.",
      "Reopened in \(Wording.time(recovery)): all \(Wording.count(acknowledged)) are there, whole and in order. "
        + inFlight,
      "(A killed process, not a lost power supply: `roost-torture` simulates that.)",
    ])
  }

  /// The last commit's number, after a look at all of them. A last word may be cut.
  func acknowledgements(_ bytes: [UInt8]) throws(CheckFailure) -> UInt64 {
    var last: UInt64 = 0
    for at in stride(from: 0, through: bytes.count - Witness.wordBytes, by: Witness.wordBytes) {
      let word = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: at, as: UInt64.self) }
      try check(UInt64(littleEndian: word) == last + 1, "the acknowledgements are out of order")
      last += 1
    }
    return last
  }

  static func size(of path: String) -> Int {
    let facts = try? FileManager.default.attributesOfItem(atPath: path)
    return (facts?[.size] as? NSNumber)?.intValue ?? 0
  }
}
