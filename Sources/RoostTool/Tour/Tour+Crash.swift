import Foundation
import Roost

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A step that kills a process while it writes.
extension Tour {
  var killing: Step {
    Step(
      "Kill -9 while another process saves",
      """
      for number in numbers(of: save) { context.insert(Visit(number)) }
      try context.save()
      """
    ) { [self] in
      try close()
      let (acknowledged, wrote) = try hearAndKill()
      try check(acknowledged > 0, "the writing process acknowledged nothing")
      let logBytes = Self.size(of: path + "-log")
      try check(logBytes > 0, "the killed process left no log to recover from")

      let (opened, recovery) = try timed { try container() }
      let context = ModelContext(opened)
      let saves = try Witness.examine(context, acknowledged: acknowledged)
      try checkAll(context)
      let inFlight =
        saves > acknowledged
        ? "One more was whole on the disk, and is there too." : "The one in flight is not there, not even in part."
      return [
        "A second process acknowledged \(ReadableNumber.count(acknowledged, "save")) in \(ReadableNumber.time(wrote)), each on the "
          + "disk, and was killed.",
        "Reopened in \(ReadableNumber.time(recovery)): all \(ReadableNumber.count(acknowledged)) are there, whole and in order. "
          + inFlight,
        "(A killed process, not a lost power supply: `roost-torture` simulates that.)",
      ]
    }
  }

  /// Starts the process that saves without end, and kills it. Returns the number of acknowledged
  /// saves, and the time of writing.
  func hearAndKill() throws -> (acknowledged: Int, wrote: Duration) {
    let wanted = Int.random(in: 200...600)
    let child = try ChildProcess(program, [Witness.command, path])
    var began = ContinuousClock.now
    let deadline = began + .seconds(10)
    var heard: [UInt8] = []
    while heard.count < wanted * Witness.wordBytes, .now < deadline {
      let more = child.read(timeoutMilliseconds: 10_000)
      if more.isEmpty { break }
      // Now it has opened the store.
      if heard.isEmpty { began = .now }
      heard += more
    }
    usleep(UInt32.random(in: 0..<1000))
    child.kill()
    // Its last output is still in the pipe.
    while true {
      let more = child.read(timeoutMilliseconds: 3000)
      if more.isEmpty { break }
      heard += more
    }
    let wrote = ContinuousClock.now - began
    let signal = child.wait()
    try check(signal == SIGKILL, "the writing process ended by itself instead of being killed")
    return (try acknowledgements(heard), wrote)
  }

  /// Checks all acknowledgements and returns the last save's number. The last one may be cut.
  func acknowledgements(_ bytes: [UInt8]) throws(CheckFailure) -> Int {
    var last: UInt64 = 0
    for at in stride(from: 0, through: bytes.count - Witness.wordBytes, by: Witness.wordBytes) {
      let word = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: at, as: UInt64.self) }
      try check(UInt64(littleEndian: word) == last + 1, "the acknowledgements are out of order")
      last += 1
    }
    return Int(last)
  }
}
